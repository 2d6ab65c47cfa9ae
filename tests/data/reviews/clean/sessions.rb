# frozen_string_literal: true

# Sessions by their users.
class Sessions
  def initialize
    @all = []
  end

  def prune(now)
    @all.reject! { |session| session.ends_at <= now }
  end
end
