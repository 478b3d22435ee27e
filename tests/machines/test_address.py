"""Addresses and names as people write them."""

from __future__ import annotations

import pytest

from assay.machines import Address, AddressError, check_name, parse_address


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("node01", Address("node01")),
        ("alice@node01", Address("node01", "alice")),
        ("node01:2222", Address("node01", None, 2222)),
        ("alice@node01.site.org:22", Address("node01.site.org", "alice", 22)),
        ("root@[::1]:22", Address("::1", "root", 22)),
        ("[2001:db8::1]", Address("2001:db8::1")),
        ("2001:db8::1", Address("2001:db8::1")),
        ("root@fe80::1%eth0", Address("fe80::1%eth0", "root")),
        ("192.0.2.7:65535", Address("192.0.2.7", None, 65535)),
        ("my_alias", Address("my_alias")),
    ],
)
def test_an_address_is_taken_apart(text: str, expected: Address) -> None:
    assert parse_address(text) == expected


@pytest.mark.parametrize("text", ["alice@node01:22", "root@[::1]:22", "node01", "[2001:db8::1]:1"])
def test_an_address_is_written_as_it_was_read(text: str) -> None:
    assert str(parse_address(text)) == text


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "no host name"),
        ("alice@", "no host name"),
        ("@node01", "no user name"),
        ("alice bob@node01", "no user name"),
        ("-oProxyCommand=x", "no host name"),
        ("alice@-oProxyCommand=x", "no host name"),
        ("-l@node01", "no user name"),
        ("node01:", "no port"),
        ("node01:ssh", "no port"),
        ("node01:0", "no port"),
        ("node01:65536", "no port"),
        ("node01:٢٢", "no port"),
        ("[node01]:22", "no IPv6 address"),
        ("[::1", "expected user@host:port"),
        ("ssh://node01", "no port"),
        ("a@b@node01", "no user name"),
        ("node01;reboot", "no host name"),
        ("node 01", "no host name"),
    ],
)
def test_a_wrong_address_names_the_wrong_part(text: str, part: str) -> None:
    with pytest.raises(AddressError, match=part) as caught:
        parse_address(text)
    assert caught.value.message.startswith("cannot understand the address")
    assert caught.value.hint


@pytest.mark.parametrize("name", ["node01", "node01.site.org", "0-a"])
def test_a_machine_may_have_such_a_name(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize("name", ["local", "guest", "", "-a", ".a", "Node", "a b", "a/b", "ä"])
def test_a_machine_may_not_have_such_a_name(name: str) -> None:
    with pytest.raises(AddressError, match="cannot name a machine"):
        check_name(name)
