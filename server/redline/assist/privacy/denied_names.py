"""The built-in list of files that hold keys and credentials.

It applies everywhere, also to backups of such files, and nothing can lift it.
"""

from __future__ import annotations

import re

from redline.assist.privacy.ignore_levels import IgnoreLevel, decision
from redline.assist.privacy.ignore_patterns import IgnorePatterns

DENIED = (
    ".env",
    ".env.*",
    ".env-*",
    ".env_*",
    "*.env",
    ".envrc",
    ".dev.vars",
    "env.local",
    "env.prod",
    "env.production",
    "env.staging",
    "!example.env",
    "!sample.env",
    "!template.env",
    "!.env.example",
    "!.env.sample",
    "!.env.template",
    "!.env[-_]example",
    "!.env[-_]sample",
    "!.env[-_]template",
    "*.pem",
    "*.key",
    "*.ppk",
    "*.p8",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "!id_*.pub",
    "ssh_host_*_key",
    ".ssh/",
    ".gnupg/",
    ".aws/",
    ".kube/",
    "**/.config/gcloud/",
    "**/.config/hub",
    "**/.azure/*token*",
    "**/.azure/service_principal_entries*",
    "**/.oci/config",
    "**/.snowsql/config",
    "**/.dbt/profiles.yml",
    ".databrickscfg",
    "**/.docker/config.json",
    ".dockercfg",
    "**/.config/gh/hosts.yml",
    "**/.m2/settings.xml",
    "settings-security.xml",
    "**/.gradle/gradle.properties",
    "key.properties",
    "keystore.properties",
    "signing.properties",
    ".netrc",
    "_netrc",
    ".authinfo",
    ".fetchmailrc",
    ".msmtprc",
    ".curlrc",
    ".wgetrc",
    ".my.cnf",
    ".mylogin.cnf",
    ".pgpass",
    "pgpass.conf",
    ".npmrc",
    ".clasprc.json",
    ".sentryclirc",
    ".Renviron",
    "ngrok.yml",
    ".pypirc",
    ".htpasswd",
    ".htdigest",
    ".passwd",
    ".passwd-s3fs",
    "password.txt",
    "passwords.txt",
    "*passwords.csv",
    "private[-_]key.txt",
    "privatekey.txt",
    ".smbcredentials",
    "**/etc/shadow*",
    "**/etc/gshadow*",
    "**/etc/security/opasswd",
    "*.keytab",
    ".git-credentials",
    ".boto",
    ".s3cfg",
    ".terraformrc",
    "*.tfstate",
    "*.tfstate.backup",
    "*.tfvars",
    "*.tfvars.json",
    ".vault-token",
    ".vault_pass",
    ".vault-pass",
    ".vault[-_]password",
    "vault[-_]pass.txt",
    "vault[-_]password.txt",
    ".vault[-_]pass.txt",
    "rclone.conf",
    "pip.conf",
    ".yarnrc.yml",
    "kubeconfig",
    "*.jwk",
    "*.ovpn",
    "wg[0-9]*.conf",
    "**/wireguard/*.conf",
    "secring.gpg",
    "[ce]wallet.sso",
    "wallet.json",
    "**/keystore/UTC--*",
    "sitemanager.xml",
    "WinSCP.ini",
    "**/.vscode/sftp.json",
    "sftp-config.json",
    "**/.idea/dataSources.local.xml",
    "local.settings.json",
    "cookies.txt",
    ".secrets",
    "credentials",
    "!credentials/",
    "credentials.csv",
    "credentials.ini",
    "credentials.json",
    "credentials.toml",
    "credentials.yaml",
    "credentials.yml",
    "*accessKeys.csv",
    "rootkey.csv",
    "secret.txt",
    "secrets.txt",
    "*.secret",
    ".token",
    "secret.json",
    "secret.yml",
    "secret.yaml",
    "secrets.json",
    "secrets.toml",
    "secrets.yml",
    "secrets.yaml",
    "service[-_]account*.json",
    "serviceAccountKey*.json",
    "gcp-key.json",
    "*firebase-adminsdk*.json",
    "client_secret*.json",
    "application_default_credentials.json",
    "auth.json",
    "token.json",
    "token.txt",
    ".bash_history",
    ".zsh_history",
    ".mysql_history",
    ".psql_history",
    ".python_history",
    ".irb_history",
    ".node_repl_history",
    ".rediscli_history",
    ".sqlite_history",
    "fish_history",
    "ConsoleHost_history.txt",
)
"""Files that hold keys and credentials by convention, in `.gitignore` syntax, in any
case of their letters."""

_COPY_END = re.compile(
    r"(?:[~#]|\.~\d{1,4}~|\.(?:bak|backup|bk|old|orig|save|sw[op]|tmp|kate-swp)\d{0,3}"
    r"| - copy(?: ?\(\d{1,3}\))?| copy(?: \d{1,3})?| \((?:another )?copy\)"
    r"| ?\(\d{1,3}\))\Z",
    re.IGNORECASE,
)
"""The ends that editors, patch and file managers give to the name of a copy, the latter
also before its suffix."""
_N_COPY_END = 20
"""Most characters of such an end."""
_BACKUP_PREFIXES = ("", "#", ".#", ".")

_denied = IgnorePatterns("\n".join(DENIED).encode(), ignores_case=True)


_ENDS = "".join(map(chr, range(33))) + "."

_PARAMETERS = re.compile("[;?#]")
"""What sets parameters, a query or a fragment apart from the path of a URI."""


def is_denied(names: tuple[str, ...]) -> bool:
    """Whether a path is on the built-in list, or is a backup of one that is.

    Windows separates names by backslashes and leaves out dots and blanks at their ends,
    so the path is also read in this way. A name may end with parts of a URI that an
    editor has escaped with it, as in `.env%3Fref=main`.
    """
    apart = (part for name in names for part in name.split("\\"))
    loose = tuple(part.rstrip(_ENDS) or part for part in apart)
    name = _PARAMETERS.split(loose[-1], maxsplit=1)[0] if loose else ""
    return any(map(_is_on_list, {names, loose, (*loose[:-1], name)}))


def _is_on_list(names: tuple[str, ...]) -> bool:
    *folders, name = names or ("",)
    stem, dot, suffix = name.rpartition(".")
    originals = {_original(name), _original(stem) + dot + suffix}
    copied = {
        one.removeprefix(prefix) for one in originals for prefix in _BACKUP_PREFIXES
    }
    levels = (IgnoreLevel("", 0, _denied),)
    return any(
        decided is not None and decided[0]
        for one in {name, *copied}
        if (decided := decision(levels, (*folders, one)))
    )


def _original(name: str) -> str:
    """Return the name of the file that a file of this name is a copy of."""
    end = len(name)
    while found := _COPY_END.search(name, max(1, end - _N_COPY_END), end):
        end = found.start()
    return name[:end]
