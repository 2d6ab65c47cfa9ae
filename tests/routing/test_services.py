"""Work across three or more services is seen; classes of one program are none."""

from __future__ import annotations

import pytest
from tests.routing.conftest import MakeTask

from redline.routing import services


@pytest.mark.parametrize(
    "given",
    [
        {"path": "services/a/x.go", "files": ("services/b/x.go", "services/c/x.go")},
        {"path": "backend/apps/a/x.ts", "files": ("apps/b/x.ts", "apps/c/x.ts")},
        {"path": "cart-service/A.java", "files": ("pay-service/B.java", "x_svc/c.py")},
        {"instruction": "pass it on to the cart, mail and search services"},
        {"instruction": "in cart, mail, and search microservices"},
        {"instruction": "add a header in every service"},
        {"instruction": "roll it out across all our services"},
        {"instruction": "the five services need it"},
        {
            "code": "urls = ['http://a-service/', 'http://b-svc:80', 'http://c-service/x']"
        },
        {"code": "apb.New(c); bpb.New(c); cpb.New(c)", "language": "go"},
        {"code": "cartClient.add(x); pay_client.charge(x); mailClient.send(x)"},
        {"code": "cart.post('/a'); pay.post(\"/b\"); mail.put(`/c`)"},
        {"code": "- services/a\n- services/b\n- services/c", "language": "yaml"},
    ],
)
def test_three_services(task: MakeTask, given: dict[str, object]) -> None:
    crossing = services.crossing(task(**given))

    assert crossing is not None
    assert crossing.name == "services"
    assert "across services" in crossing.reason


@pytest.mark.parametrize(
    "given",
    [
        {"path": "services/a/x.go", "files": ("services/b/x.go", "services/a/y.go")},
        {
            "path": "src/services/a/x.ts",
            "files": ("src/services/b/x", "src/services/c/x"),
        },
        {"instruction": "inject the cart service and the mail service"},
        {"instruction": "both services log it"},
        {"instruction": "stop the foreground service"},
        {"code": "router.post('/a'); router.put('/b'); router.patch('/c')"},
        {"code": "client.get(a); httpClient.get(b); client.post(c)"},
        {"code": "CartService(a); MailService(b); SearchService(c)"},
        {
            "code": "from services/a import x; services/b; services/c",
            "language": "python",
        },
        {"code": "services:\n  web:\n  db:\n  redis:\n", "language": "yaml"},
    ],
)
def test_fewer_are_none(task: MakeTask, given: dict[str, object]) -> None:
    assert services.crossing(task(**given)) is None


def test_the_reason_names_them(task: MakeTask) -> None:
    """A few of them, so that it stays a sentence."""
    paths = tuple(f"services/s{n}/x.go" for n in range(6))

    crossing = services.crossing(task(files=paths))

    assert crossing is not None
    assert "6 services (s0, s1, s2, s3, …)" in crossing.reason
