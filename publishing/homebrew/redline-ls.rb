# Written by publishing/write.py. The resources are added at a release by
# `brew update-python-resources redline-ls`.
class RedlineLs < Formula
  include Language::Python::Virtualenv

  desc "Language server that puts a fast and a deep model tier behind your editor"
  homepage "https://github.com/redline-ls/redline"
  head "https://github.com/redline-ls/redline.git", branch: "main"
  license "MIT"

  depends_on "rust" => :build
  depends_on "python@3.13"

  def install
    virtualenv_install_with_resources
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/redline --version")
    assert_match "redline", shell_output("#{bin}/redline --help")
  end
end
