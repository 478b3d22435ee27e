"""What servers of data are told, and what clients and servers print of them."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from assay.model.errors import MissingError
from assay.model.files.marker import mark
from assay.model.platforms.data import DataFile, DataSet
from assay.platforms import removal
from assay.platforms.bench_network.bench_links import BenchNetwork
from assay.platforms.bench_network.daemons import Site
from assay.platforms.data_servers import cvmfs, ganesha, gluster, serve, xrootd
from assay.platforms.data_servers.files import lay_data
from assay.platforms.data_servers.mount import mount_command, mounted_level, parse_mounted
from assay.platforms.data_servers.serve import data_folder, end_left_data, left_data
from assay.platforms.errors import PlatformError
from assay.platforms.leftovers import clean

RECORDED = Path(__file__).parent / "recorded"
MOUNTS = """\
/dev/vda / ext4 rw,discard,relatime 0 0
198.18.0.2:data /var/tmp/a\\040b/mnt fuse.glusterfs ro,relatime,user_id=0,group_id=0,max_read=131072 0 0
198.18.0.2:/data /root/data nfs4 ro,relatime,vers=4.2,rsize=32768,wsize=32768,nconnect=4,addr=198.18.0.2 0 0
"""


def test_a_mount_is_read_from_the_arms_own_table() -> None:
    seen = parse_mounted(MOUNTS, "/var/tmp/a b/mnt")
    assert seen is not None
    assert (seen.kind, seen.source) == ("fuse.glusterfs", "198.18.0.2:data")
    assert mounted_level("data.access", seen) == "glusterfs"
    assert parse_mounted(MOUNTS, "/nowhere") is None


def test_options_of_an_nfs_mount_are_read_in_the_spelling_of_levels() -> None:
    seen = parse_mounted(MOUNTS, "/root/data")
    assert seen is not None
    names = ("data.access", "data.nfs-nconnect", "data.nfs-rsize")
    assert [mounted_level(name, seen) for name in names] == ["nfs", "4", "32 KiB"]


def test_a_file_system_that_is_no_way_to_data_is_told_by_its_own_name() -> None:
    seen = parse_mounted(MOUNTS, "/")
    assert seen is not None
    assert mounted_level("data.access", seen) == "ext4"
    assert mounted_level("data.nfs-nconnect", seen) == "1"
    assert mounted_level("data.nfs-rsize", seen) == "not told"


def test_nfs_is_mounted_without_a_helper_read_only_and_with_its_options() -> None:
    levels = {"data.access": "nfs", "data.nfs-nconnect": "4", "data.nfs-rsize": "32 KiB"}
    command = mount_command("nfs", "198.18.0.2", "198.18.0.15", "/d", levels=levels)
    options = "ro,vers=4.2,soft,timeo=100,addr=198.18.0.2,clientaddr=198.18.0.15,nconnect=4,rsize=32768"
    assert command == ("mount", "-i", "-t", "nfs4", "-o", options, "198.18.0.2:/data", "/d")


def test_glusterfs_is_mounted_read_only() -> None:
    command = mount_command("glusterfs", "198.18.0.2", "198.18.0.1", "/d", levels={})
    assert command[0] == "glusterfs"
    assert {"--read-only", "--log-file=/d.log", "--volfile-server=198.18.0.2", "--volfile-id=data"} < set(
        command
    )


def test_the_state_of_a_volume_is_what_the_server_says() -> None:
    recorded = (RECORDED / "gluster-volume-info.txt").read_text()
    assert gluster.parse_volume(recorded) == ("Started", 1)
    assert gluster.parse_volume("Volume data does not exist\n") == (None, 0)


def test_glusterd_keeps_to_its_folder_and_address() -> None:
    text = gluster.volfile(Path("/h/gluster"), "198.18.0.2")
    assert "option working-directory /h/gluster\n" in text
    assert "option transport.socket.bind-address 198.18.0.2\n" in text


def test_a_folder_that_the_user_of_xrootd_may_not_enter_is_named(tmp_path: Path) -> None:
    inner = tmp_path / "home/data/0123abcd"
    inner.mkdir(parents=True)
    tmp_path.chmod(0o700)
    outermost = next(one for one in reversed(inner.parents) if not one.stat().st_mode & stat.S_IXOTH)
    with pytest.raises(PlatformError, match=f"nobody may not enter {outermost}$") as raised:
        xrootd.start_xrootd(Site(inner, BenchNetwork("s", "c", "b", "t"), ()))
    assert raised.value.hint == f"chmod o+x {outermost}, or let ASSAY_HOME be elsewhere"


def test_sizes_of_files_are_read_from_what_xrootd_lists() -> None:
    recorded = (RECORDED / "xrdfs-ls.txt").read_text()
    assert xrootd.parse_sizes(recorded) == {"f0": 33554432, "sub/a b": 33554432}
    assert xrootd.parse_sizes("[ERROR] no such file") == {}


def test_the_url_of_a_file_and_of_all_of_them() -> None:
    assert xrootd.url("198.18.0.2") == "root://198.18.0.2:1094//files"
    assert xrootd.url("198.18.0.2", "sub/f") == "root://198.18.0.2:1094//files/sub/f"


def test_packs_read_the_same_files_by_http_of_the_same_port() -> None:
    text = xrootd.configuration(Path("/h"), Path("/h/xrootd"))
    assert "xrd.protocol http:1094 libXrdHttp.so\n" in text
    url = xrootd.url("198.18.0.2", "sub/a b")
    assert xrootd.by_http(url) == "http://198.18.0.2:1094//files/sub/a%20b"
    for other in ("/h/files/a", "http://node:4000//a"):
        assert xrootd.by_http(other) == other


def test_servers_serve_read_only() -> None:
    assert "all.export /files r/o\n" in xrootd.configuration(Path("/h"), Path("/h/xrootd"))
    exports = [ganesha.export(1, Path("/h/files"), ganesha.EXPORT, "RO")]
    text = ganesha.configuration(exports, Path("/h/ganesha"), "198.18.0.2")
    assert "Access_Type = RO;" in text
    assert "Protocols = 4;" in text


def test_what_jobs_write_on_is_mounted_to_be_written_to_and_waited_for() -> None:
    nfs = mount_command("nfs", "198.18.0.2", "198.18.0.15", "/d", levels={}, written=True)
    assert nfs[-2:] == ("198.18.0.2:/scratch", "/d")
    assert {"rw", "hard"} < set(nfs[nfs.index("-o") + 1].split(","))
    gluster_fs = mount_command("glusterfs", "198.18.0.2", "198.18.0.1", "/d", levels={}, written=True)
    assert "--volfile-id=scratch" in gluster_fs
    assert "--read-only" not in gluster_fs


def test_the_last_error_of_a_client_of_glusterfs_is_found_in_its_log() -> None:
    log = (
        "[2026-11-29 12:00:01.1 +0000] I [MSGID: 100030] [glusterfsd.c:2683:main] 0-glusterfs: Started\n"
        "[2026-11-29 12:00:02.1 +0000] E [MSGID: 101046] [dht-common.c:1:f] 0-data-dht: dict is null\n"
        "[2026-11-29 12:00:02.2 +0000] E [glusterfsd-mgmt.c:1:f] 0-glusterfsd-mgmt: failed to connect\n"
    )
    assert gluster.last_error(log) == "0-glusterfsd-mgmt: failed to connect"
    assert gluster.last_error("") == "its log names no error"


def test_the_cache_of_a_cvmfs_client_is_read_from_what_its_tool_prints() -> None:
    cache = cvmfs.parse_stat((RECORDED / "cvmfs-stat.txt").read_text())
    assert (cache.used_bytes, cache.size_bytes) == (1_305_836 * 1024, 4_096_001 * 1024)
    assert (cache.hit_ratio, cache.revision) == (0.99721, 31205)
    assert (cache.proxy, cache.online) == ("http://squid.example.org:3128", True)
    assert cache.words == "cache 1,337 of 4,194 MB, hit rate 99.7%, proxy http://squid.example.org:3128"


def test_a_cvmfs_client_that_tells_nothing_has_no_figures() -> None:
    cache = cvmfs.parse_stat("")
    assert cache == cvmfs.CvmfsCache()
    assert cache.words == "its cache is not told"


@pytest.mark.parametrize(
    ("text", "reached"),
    [
        ("Probing /cvmfs/alice.cern.ch... OK\n", True),
        ("Probing /cvmfs/alice.cern.ch... OK\nProbing /cvmfs/na62.cern.ch... Failed!\n", False),
        ("", False),
    ],
)
def test_a_probe_says_whether_every_repository_is_reached(text: str, reached: bool) -> None:
    assert cvmfs.parse_probe(text) is reached


def test_a_repository_is_the_first_folder_below_cvmfs() -> None:
    assert cvmfs.repository("/cvmfs/alice.cern.ch/x/y") == "alice.cern.ch"
    assert cvmfs.repository("/cvmfs/alice.cern.ch") == "alice.cern.ch"
    assert cvmfs.repository("/srv/data") is None


def test_made_data_are_the_same_for_a_seed(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        lay_data(
            DataSet((DataFile("f0", 3_000_000), DataFile("f1", 5)), seed=seed), tmp_path / name / "files"
        )
    contents = [(tmp_path / name / "files/f0").read_bytes() for name in "abc"]
    assert contents[0] == contents[1] != contents[2]
    assert len(contents[0]) == 3_000_000


@pytest.mark.parametrize(("shared", "mode"), [(True, 0o755), (False, 0o700)])
def test_data_are_readable_by_others_only_where_a_server_must(
    tmp_path: Path, shared: bool, mode: int
) -> None:
    lay_data(DataSet((DataFile("sub/f", 5),)), tmp_path / "own/files", shared=shared)
    assert (tmp_path / "own").stat().st_mode & 0o777 == mode
    assert (tmp_path / "own/files/sub/f").stat().st_mode & 0o777 == 0o644
    assert (tmp_path / "own/files/sub").stat().st_mode & 0o777 == 0o755


def test_data_of_a_path_are_copied_with_their_folders(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "sub").mkdir(parents=True)
    (source / "sub/f").write_bytes(b"abc")
    lay_data(DataSet((DataFile("sub/f", 3),), path=str(source)), tmp_path / "files")
    assert (tmp_path / "files/sub/f").read_bytes() == b"abc"


def test_data_that_changed_since_the_plan_are_refused(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"abcd")
    with pytest.raises(PlatformError, match="it had 3 bytes when this was planned, and has 4"):
        lay_data(DataSet((DataFile("f", 3),), path=str(tmp_path / "f")), tmp_path / "files")
    with pytest.raises(MissingError, match="No such file"):
        lay_data(DataSet((DataFile("g", 3),), path=str(tmp_path / "g")), tmp_path / "files")


def test_data_that_do_not_fit_are_refused_with_both_figures(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="are needed"):
        lay_data(DataSet((DataFile("f", 1 << 60),)), tmp_path / "files")


def test_only_a_folder_that_assay_made_for_data_is_ever_removed(tmp_path: Path) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    ours = data_folder(home, "89abcdef")
    lay_data(DataSet((DataFile("f", 8),), seed=1), ours / "files")
    lay_data(DataSet((DataFile("f", 8),), seed=1), elsewhere / "files")
    foreign = [home / "data" / name for name in ("run1", "0123abcd", "run2")]
    for folder in foreign:
        folder.mkdir()
        (folder / "file").write_text("mine")
    mark(foreign[2])  # ours are called by 8 hex digits
    link = home / "data/fedcba98"
    link.symlink_to(elsewhere)
    assert left_data(home) == (ours,)
    end_left_data(home, "00000000")
    assert not ours.exists()
    assert all((folder / "file").read_text() == "mine" for folder in foreign)
    assert link.is_symlink()
    assert (elsewhere / "files/f").exists()


def test_data_do_not_go_through_a_link_in_place_of_their_folder(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "0123abcd").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PlatformError, match="is no folder"):
        lay_data(DataSet((DataFile("f", 8),), seed=1), tmp_path / "0123abcd/files")
    assert not list((tmp_path / "elsewhere").iterdir())


def test_the_folder_of_data_has_no_link_on_its_way(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "disk")
    assert data_folder(tmp_path / "home", "0123abcd") == tmp_path.resolve() / "disk/data/0123abcd"


def test_servers_are_ended_and_their_traces_forgotten_before_the_folder_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, acts = tmp_path / "data/0123abcd", list[str]()
    lay_data(DataSet((DataFile("f", 8),), seed=1), folder / "files")
    monkeypatch.setattr(serve, "end_daemons", lambda *_, **__: acts.append(f"end, {folder.exists()}"))
    monkeypatch.setattr(gluster, "forget_outside", lambda below, _: acts.append(f"forget, {below == folder}"))
    assert serve.end_data(folder)
    assert acts == ["end, True", "forget, True"]
    assert not folder.exists()


def test_a_folder_that_cannot_be_removed_whole_keeps_its_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = data_folder(tmp_path, "0123abcd")
    lay_data(DataSet((DataFile("f", 8),), seed=1), folder / "files")
    monkeypatch.setattr(removal, "ask", lambda *_, **__: None)
    assert not serve.end_data(folder)
    assert left_data(tmp_path) == (folder,)


def test_clean_does_not_report_a_folder_of_data_as_gone_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = data_folder(tmp_path, "0123abcd")
    lay_data(DataSet((DataFile("f", 8),), seed=1), folder / "files")
    found = list(clean._data(tmp_path))
    assert [item.name for item in found] == [str(folder)]
    with monkeypatch.context() as kept:
        kept.setattr(removal, "ask", lambda *_, **__: None)
        assert not clean._remove(tmp_path, found[0])
    assert clean._remove(tmp_path, found[0])
    assert not folder.exists()
    folder.mkdir()  # somebody else's, since it was listed
    assert not clean._remove(tmp_path, found[0])
    assert folder.exists()
