//! Starts `redline serve` for Zed.

use zed_extension_api::{self as zed, settings::LspSettings, LanguageServerId, Result};

struct Redline;

impl zed::Extension for Redline {
    fn new() -> Self {
        Redline
    }

    fn language_server_command(
        &mut self,
        id: &LanguageServerId,
        worktree: &zed::Worktree,
    ) -> Result<zed::Command> {
        let settings = LspSettings::for_worktree(id.as_ref(), worktree)?;
        let named = settings.binary.and_then(|binary| binary.path);
        let command = named.or_else(|| worktree.which("redline")).ok_or_else(|| {
            "The program 'redline' was not found. Install Redline, or name the program \
             in lsp.redline.binary.path."
                .to_string()
        })?;
        Ok(zed::Command {
            command,
            args: vec!["serve".into()],
            env: worktree.shell_env(),
        })
    }

    fn language_server_workspace_configuration(
        &mut self,
        id: &LanguageServerId,
        worktree: &zed::Worktree,
    ) -> Result<Option<zed::serde_json::Value>> {
        let settings = LspSettings::for_worktree(id.as_ref(), worktree)?;
        Ok(settings.settings)
    }
}

zed::register_extension!(Redline);
