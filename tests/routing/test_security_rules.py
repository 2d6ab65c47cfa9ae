"""Security rules see what they guard, and leave alone what only sounds like it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from redline.routing.boundary import Boundary, Reading, evidence
from redline.routing.security_rules import (
    AUTHENTICATION,
    CRYPTO,
    INPUT_VALIDATION,
    PERMISSIONS,
    SECURITY_RULES,
    SESSIONS,
)

Read = Callable[..., Reading]


@pytest.mark.parametrize(
    ("rule", "given"),
    [
        (
            AUTHENTICATION,
            {"code": "if not bcrypt.checkpw(given, stored): raise Denied"},
        ),
        (AUTHENTICATION, {"code": "user = authenticate(name, password)"}),
        (AUTHENTICATION, {"code": "claims := jwt.Parse(raw)"}),
        (AUTHENTICATION, {"path": "app/auth/views.py"}),
        (AUTHENTICATION, {"instruction": "lock out after failed logins"}),
        (AUTHENTICATION, {"code": "@login_required"}),
        (SESSIONS, {"code": "res.cookie('sid', id, { httpOnly: true })"}),
        (SESSIONS, {"code": "$_SESSION['cart'] = [];", "language": "php"}),
        (SESSIONS, {"code": "request.session['user'] = 1"}),
        (SESSIONS, {"instruction": "set SameSite on the session cookie"}),
        (CRYPTO, {"code": 'Cipher.getInstance("AES/GCM/NoPadding")'}),
        (CRYPTO, {"code": "requests.get(url, verify=False)"}),
        (CRYPTO, {"code": "digest = sha256(salt + secret)"}),
        (CRYPTO, {"code": "tls.Config{InsecureSkipVerify: true}"}),
        (INPUT_VALIDATION, {"code": "subprocess.run(cmd, shell=True)"}),
        (INPUT_VALIDATION, {"code": "f\"SELECT * FROM t WHERE a = '{a}'\""}),
        (INPUT_VALIDATION, {"code": '"DELETE FROM t WHERE id=" + id'}),
        (INPUT_VALIDATION, {"code": "el.innerHTML = text"}),
        (INPUT_VALIDATION, {"code": "out = out.replace(/</g, '&lt;')"}),
        (INPUT_VALIDATION, {"code": "pickle.loads(body)"}),
        (INPUT_VALIDATION, {"instruction": "fix the path traversal"}),
        (INPUT_VALIDATION, {"code": "eval(text)"}),
        (PERMISSIONS, {"code": "if not user.has_permission('x'): abort(403)"}),
        (PERMISSIONS, {"code": "GRANT SELECT ON t TO r;", "language": "sql"}),
        (PERMISSIONS, {"instruction": "only the owner may delete it"}),
        (PERMISSIONS, {"instruction": "guests can see invoices"}),
        (PERMISSIONS, {"path": "app/policies/post_policy.rb"}),
        (PERMISSIONS, {"code": '[Authorize(Roles = "Admin")]'}),
    ],
)
def test_what_is_guarded(read: Read, rule: Boundary, given: dict[str, object]) -> None:
    assert evidence(rule, read(**given)).shown


@pytest.mark.parametrize(
    "given",
    [
        {"code": "books.filter(author=author, authored_at=day)"},
        {"code": "token = self.lexer.next_token(); tokens.append(token)"},
        {"code": "n_tokens = len(tokenizer.encode(text))"},
        {"code": "session.add(item); session.commit()"},
        {"code": "with Session(engine) as session: session.query(Item).all()"},
        {"code": "cancellation_token.throw_if_cancelled()"},
        {"code": "hash(self) == hash(other); hash_map.get(key)"},
        {"code": "key = hashlib.sha1(path.read_bytes()).hexdigest()"},
        {"code": "except PermissionError: continue"},
        {"code": '<li role="tab" aria-selected="true">', "language": "html"},
        {"code": "actor.role = film.roles[0]"},
        {"code": "coin.price", "instruction": "show crypto prices in red"},
        {"code": "def sign(x): return (x > 0) - (x < 0)"},
        {"code": "model.eval()"},
        {"code": "def eval(self, x): return x"},
        {"instruction": "validate that the end is after the start"},
        {"instruction": "sort by owner"},
        {"code": "access = array[index]; accessor(access)"},
        {"code": "print('please select a row from the table: ' + name)"},
    ],
)
def test_what_only_sounds_like_it(read: Read, given: dict[str, object]) -> None:
    reading = read(**given)

    assert {rule.name: evidence(rule, reading).shown for rule in SECURITY_RULES} == {
        rule.name: () for rule in SECURITY_RULES
    }
