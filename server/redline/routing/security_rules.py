"""The security boundaries, as data.

Phrases are collected from the vocabulary of common frameworks and of the CWE list's
views on authentication, session, cryptography, input and permission weaknesses
(CWE-1211, CWE-1217, CWE-310, CWE-1215, CWE-1212). Plurals and spelling variants need no
entry: see `words.py`.
"""

from __future__ import annotations

import re

from redline.routing.boundary import Boundary, syntax
from redline.routing.phrases import Phrases

_SQL = r"SELECT\s[^\"\n]{0,200}\sFROM|INSERT\s+INTO|DELETE\s+FROM|UPDATE\s+\S+\s+SET"
_HAS_CAPITAL = r"""(?=[^"'\nSIDU]*+[SIDU])"""
"""What a capital keyword of `_SQL` needs; most literals are rejected in one step."""
_SPLICED_SQL = (
    rf"""["'](?:\s*(?i:{_SQL})|{_HAS_CAPITAL}[^"'\n]{{0,80}}\b(?:{_SQL}))\b"""
    r"""[^"\n]{0,200}"""
    r"""(?:['"]\s*(?:\+|\.\s*\$|%\s)|[$][a-z{]|\{[a-z])"""
)
"""An SQL literal that continues with a value."""

AUTHENTICATION = Boundary(
    name="authentication",
    what="authentication",
    enough=Phrases("""
        authenticate, authenticated, authentication, authenticator, unauthenticated
        auth, oauth, oauth2, openid, oidc, saml, kerberos, ldap bind, sso, single sign
        authn, jwt, jws, bearer, bearer token, access token, refresh token, id token
        auth token, api token, reset token, security token, token provider
        hash password, password hash, hashed password, verify password, check password
        set password, change password, password verify, password reset, reset password
        forgot password, password digest, password encoder, password hasher
        encrypted password, wrong password, validate password, new password
        bcrypt, argon2, argon2id, scrypt, passlib, devise, passport
        login required, require login
        sign in user, login attempt, failed login, failed attempt, login view
        login handler, login form, do login, user login, totp, hotp, webauthn, passkey
        two factor, second factor, mfa, 2fa, otp, one time password, biometric
        biometric prompt, keychain, k sec class, credential store, sign in manager
        user manager, require auth, api key check, x api key, check api key
        verify api key, session controller, csrf exempt, csrf protect, csrf token
        verify authenticity token, ldap, initial dir context, search base dn, bind dn
        basic auth, digest auth, magic link, recovery code, backup code, api secret
        access key, secret access key, service account, database password, db password
        user password, verify token, validate token, decode token, parse token
        issue token, sign token, token store, token verifier, login url, sso
        assertion, acs, not on or after, magic token, verification code, security key
    """),
    hints=Phrases("""
        invite, invited, invitation, api client, secure random, verification
        password, passphrase, passwd, pwd, login, logout, signin, sign in, sign out
        signup, sign up, register user, credential, token, claim, principal
        unauthorized, api key, client secret, secret, authorization
    """),
    asked=Phrases("""
        database password, hard coded password, hardcoded password, ldap, otp, mfa
        two factor, magic link, reset link, remember me, refresh token, id token
        credential, secret key, basic auth, csrf, impersonate, kerberos, saml, oidc
        email verification, verify the email, verification email
        log in, logging in, logged in user, login, sign in, authentication
        authenticate, password, single sign on, api key, account lockout, pkce
        brute force, credential stuffing, expired token, token expiry, access token
    """),
    asked_hints=Phrases("sign up, signup, unlock, fingerprint, expired, 401, account"),
    paths=Phrases("""
        auth, authentication, oauth, oauth2, login, signin, password, saml, jwt, sso
        mfa, 2fa, keychain, webauthn
    """),
    path_hints=Phrases("""
        identity, credential, signup, token, session, security
    """),
    code=(
        syntax("www", r"WWW-Authenticate"),
        syntax("authorization", r"(?i:authorization)['\"]"),
        syntax("compare", r"(?:hmac|secrets)\.compare_digest"),
    ),
    code_hints=(syntax("401", r"\b401\b"),),
)

SESSIONS = Boundary(
    name="sessions",
    what="login sessions",
    enough=Phrases("""
        session id, session cookie, session key, session token, session store
        session middleware, session secret, session fixation, reset session
        session start, session regenerate, regenerate session, session destroy
        session regenerate id, invalidate session, session timeout, session expiry
        http session, cookie store, session data, session set cookie, sessionid, sid
        express session, user session, login session, set session cookie, samesite
        same site, http only, clear session, session lifetime
    """),
    hints=Phrases("""
        session, cookie, set cookie, max age, secure, user id, logout, csrf, sid
        remember me
    """),
    asked=Phrases("""
        all device, every device, other device, log the user out, sign out everywhere
        active session, revoke session, user session, auth cookie, log everyone out
        session cookie, session id, login session, log out, logout, session fixation
        session hijacking, same site, samesite, remember me, stay logged in
    """),
    asked_hints=Phrases("cookie, session, expire, inactivity, strict, log in, login"),
    path_hints=Phrases("session, cookie, middleware, login, auth"),
    code=(
        syntax("session", r"\$_SESSION\b"),
        syntax("session", r"session_start\s*\("),
        syntax("session", r"HttpSession\b"),
        syntax("session", r"req(?:uest)?\.session\b"),
        syntax("session", r"session\[[:'\"]"),
    ),
)

CRYPTO = Boundary(
    name="crypto",
    what="cryptography",
    enough=Phrases("""
        encrypt, encryption, encryptor, encrypted, decrypt, decryption, decryptor
        cipher, ciphertext, plaintext, aes, rsa, ecdsa, ed25519, x25519, chacha20
        hmac, pbkdf2, hkdf, argon2, scrypt, bcrypt, key pair, private key, public key
        secret key spec, signing key, sign digest, signature verify, verify signature
        signature algorithm, check signature, message digest, key derivation, derive key
        import key, generate key, webcrypto, openssl, libsodium, sodium, nacl
        x509, tls config, ssl context, ssl socket, certificate, cert file, key store
        trust store, trust manager, secure random, random bytes, get random value
        evp, digital signature, verify certificate, insecure skip verify, gcm, cbc
        symmetric key, asymmetric key, symmetric security key, fernet, gpg, pgp
        timing safe equal, jwk, jwks, pem
    """),
    hints=Phrases("""
        sha256, sha512, sha1, md5, salt, nonce, iv, signature, crypto, secret, tls, ssl
        urandom, password, key file, webhook, constant time
    """),
    asked=Phrases("""
        checksum, verify the download, gpg, pgp, key derivation, secure random
        certificate pinning, pinning, self signed, hsts, cipher suite, private key
        public key, key pair, digital signature, unpredictable, guessable, csprng
        encrypt, encryption, decrypt, hmac, aes, aes gcm, rsa, tls, mutual tls, mtls
        certificate, private key, pbkdf2, scrypt, argon2, bcrypt, constant time
        key rotation, verify the signature, check the signature, webhook signature
        cryptographic
    """),
    asked_hints=Phrases("signature, sign, secret, rotate, nonce, hash, salt"),
    paths=Phrases("crypto, cipher, encryption, encrypt, decrypt, tls, ssl, pki, hmac"),
    path_hints=Phrases("sign, signature, cert, password, vault, webhook, verify"),
    code=(
        syntax("verify", r"verify\s*=\s*False"),
        syntax("reject", r"rejectUnauthorized"),
        syntax("cert", r"CERT_NONE"),
        syntax("unverified", r"_create_unverified"),
        syntax("private", r"BEGIN [A-Z ]*PRIVATE KEY"),
    ),
)

INPUT_VALIDATION = Boundary(
    name="input-validation",
    what="the handling of untrusted input",
    enough=Phrases("""
        document write, html raw, create contextual fragment, object input stream
        binary formatter, process builder, exec sync, move uploaded file
        marshal load, multer, from user input, trusted html, safe html, ldap filter
        sanitize, sanitized, sanitise, html sanitizer, input sanitizer, untrusted
        dangerously set inner html, inner html, outer html, bypass security trust html
        v html, html safe, mark safe, raw html, shell exec, escape html, html escape
        escapeshellarg, html entity, unserialize, pickle load, secure filename
        path traversal, safe join, input validator, validate input, validate request
        permit!, prepared statement injection, mass assignment, read object
        document builder factory, sax parser factory, xml input factory, xpath query
        strip tag, purify, dom purify, allowlist input
    """),
    hints=Phrases("""
        sanitizer, sanitiser, upload, original name, originalname, mimetype, mime type
        user input, payload, redirect, content type, deserialize, unmarshal
        validate, escape, unsafe, form data, zod, joi, mysqli query, yaml load
    """),
    asked=Phrases("""
        internal network, private address, metadata endpoint, another site, other site
        break out of, csv injection, formula, ldap filter, template injection
        header injection, log injection, crlf, prototype pollution, redos, format string
        integer overflow, by stranger, from stranger, from outside, hostile, crafted
        special character, escape the name, escape the value, encode the output
        from the internet, arbitrary file, arbitrary code, remote code, exploit
        vulnerability, vulnerable, exploitable, owasp, cwe, cve, raw html, allowlist
        whitelist, denylist, blacklist, max length of the input, trust the client
        client side only, tampered, tamper
        injection, injectable, sql injection, xss, cross site scripting, sanitize
        sanitise, untrusted, escape the output, escape output, escape html
        escape user, path traversal, traversal, prepared statement, parameterized
        parameterised, user input, user supplied, validate input, validate the input
        validate the request, validate request, validate the body, untrusted input
        script tag, external entity, xxe, ssrf, open redirect, safe loader
        mass assignment, the request body, through the shell
        malicious, attacker, buffer overflow, deserialization, deserialisation
        zip slip, come from user, come from the user, come from third party
        from the wire, out of bound read, out of bound write, zip bomb
    """),
    asked_hints=Phrases("""
        validate, escape, upload, uploaded, malformed, wire, shell, third party, reject
    """),
    paths=Phrases("sanitize, sanitizer, sanitise, escaping, input validation"),
    path_hints=Phrases(
        "upload, download, validator, validation, avatar, import, search"
    ),
    code=(
        syntax("shell", r"shell\s*=\s*True"),
        syntax("eval", r"(?<![\w.])(?<!def )eval\s*\("),
        syntax("runtime", r"getRuntime\(\)\s*\.exec"),
        syntax("exec", r"exec\s*\(\s*[`\"'][^`\"']{0,80}\$\{"),
        syntax("uid, cn, filter", r"""\((?:uid|cn|mail)=["']\s*(?:\+|\.)"""),
        syntax("redirect", r"redirect\s*\(\s*(?:req|request|params|\$_GET)\b"),
        syntax("system", r"os\.system\s*\("),
        syntax("pickle", r"pickle\.loads?\b"),
        syntax("yaml", r"yaml\.(?:unsafe_)?load\s*\("),
        syntax("select, insert, update, delete", _SPLICED_SQL),
        syntax("permit", r"params\[[^\]]{0,80}\]\.permit!"),
        syntax("inner", r"\.innerHTML\s*=[^=]"),
        syntax("replace", r"replace(?:All)?\([^\n]{0,60}&(?:amp|lt|gt|quot);"),
        syntax("get, post, request", r"<\?=\s*\$_(?:GET|POST|REQUEST)"),
        syntax("get, post, request", r"echo\s+\$_(?:GET|POST|REQUEST)"),
        syntax("strcpy", r"strcpy\s*\("),
        syntax("sprintf", r"\bsprintf\s*\([^,]{1,80},\s*\"[^\"]{0,200}%s"),
    ),
    code_hints=(
        syntax(
            "body, query, param, file", r"req(?:uest)?\.(?:body|query|params|file)\b"
        ),
        syntax("get, post, file", r"\$_(?:GET|POST|FILES)"),
        syntax("", r"<\?=\s*\$"),
        syntax("send", r"send_?[fF]ile\b"),
        syntax("route", r"@app\.route\([^)]{0,80}<path:"),
        syntax("size", r"\*\s*\w+,\s*size_t\b"),
        syntax("memcpy", r"memcpy\s*\([^;]{0,200}(?:length|len)\b"),
    ),
)

PERMISSIONS = Boundary(
    name="permissions",
    what="permissions",
    enough=Phrases("""
        require admin, admin required, is owner, check owner, ownership, can edit
        can view, can delete, can read, can write, has authority, has privilege
        require owner, ensure admin, admin middleware, s3 bucket acl, bucket acl
        bucket policy, public access block, security group, security group rule
        network policy, umask, app armor, selinux, service account role, acl rule
        authorize, authorized, authorization policy, authorise, access control
        has permission, check permission, permission class, permission required
        require permission, has role, has any role, require role, required role
        role guard, check access, can access, has access, can activate, is admin
        is superuser, is staff, rbac, abac, acl, access policy, iam, iam policy
        role policy, cluster role, role binding, least privilege, application policy
        permit all, security filter chain, pre authorize, role allowed
        gate define, register policy, cors, access control allow origin, setuid
        seteuid, setgid, sudoer, chmod, chown, capability bounding, row level security
        admin only, owner only, allow origin, security context, privileged
        sshd config, authorized key, frame option, content security policy
        iam role, assume role
    """),
    hints=Phrases("""
        permission, role, admin, policy, allow, deny, privilege, owner, forbidden
        ability, tenant, current user, grant, uid
    """),
    asked=Phrases("""
        multi tenant, multitenant, tenancy, another tenant, other tenant, by the world
        public access, publicly readable, world readable, world writable, suspend a user
        ban a user, ban user, deactivate user, delete a user, make private, visible only
        visible to, only visible, hidden from, readable by, writable by, owned by
        not allowed to, must not be able, allowed to, admin right, superuser
        content security policy, security group, sharing setting, who can, who may
        authorization, authorisation, access control, access right, least privilege
        only admin, admin only, only owner, owner only, privilege, rbac
        row level security, check access, deny by default, drop root, root login, cors
        allowed origin, by tenant, framing, clickjacking, impersonate, sudo
        escalate privilege
    """),
    asked_hints=Phrases("""
        viewer, editor, member, owner, admin, moderator, guest, role, allow, deny
        permission, tenant, other team, another team, another user, other user
        each other, access, origin, root
    """),
    said=(
        re.compile(
            r"\bonly\s+(?:[\w-]+\s+){1,6}(?:may|can|should|must|(?:is|are)\s+allowed)\b"
            r"|\b(?:may|should)\s+only\s+be\s+able\b|\bonly\s+(?:be\s+able|needs?)\s+to\b",
            re.I,
        ),
        re.compile(
            r"\b(?:users?|customers?|members?|viewers?|editors?|owners?|guests?|admins?|"
            r"moderators?|managers?|anyone|nobody|anybody|strangers?)\s+(?:\w+\s+)?"
            r"(?:can|could|may|must not|should not|cannot|can't)\s+(?:\w+\s+)?"
            r"(?:see|open|read|delete|destroy|edit|publish|download|view|access|change|"
            r"update|approve|do everything|make themselves)\b",
            re.I,
        ),
    ),
    paths=Phrases("""
        permission, policy, acl, rbac, iam, guard, authorization, ability
        cors
    """),
    path_hints=Phrases("role, admin, access, middleware, security, ssh, setuid, auth"),
    code=(
        syntax("grant, revoke", r"^[ \t]*(?:GRANT|REVOKE)\s"),
        syntax(
            "authorize, pre, role, secured", r"\[Authorize|@(?:PreA|RolesA|Secured)"
        ),
        syntax("403", r"HTTPException\((?:status_code=)?403"),
    ),
    code_hints=(
        syntax("403", r"\b403\b"),
        syntax("action, origin, principal, resource, verb", r"'\*'"),
        syntax("action, origin, principal, resource, verb", r'"\*"'),
    ),
)

SECURITY_RULES = (
    AUTHENTICATION,
    SESSIONS,
    CRYPTO,
    INPUT_VALIDATION,
    PERMISSIONS,
)
