# frozen_string_literal: true

# Sessions by their users.
class Sessions
  def initialize
    @all = []
  end

  # Removes all sessions that are over.
  def prune(now)
    @all.each do |session|
      @all.delete(session) if session.ends_at <= now
    end
  end
end
