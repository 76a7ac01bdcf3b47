# SPDX-License-Identifier: MIT
"""Usage: test_mcp.py CHEATS: speaks the Model Context Protocol with python3 -m sluice.mcp, as its clients do.

CHEATS is the program of tests/programs/cheats.cu; "": it was not built."""
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

CHEATS = sys.argv.pop() if len(sys.argv) > 1 else ""


class Client:
    def __init__(self, folder, *options):
        self.process = subprocess.Popen([sys.executable, "-m", "sluice.mcp", folder, *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, encoding="utf-8")
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.number = 0

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)

    def write(self, message):
        self.process.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
        self.process.stdin.flush()

    def read(self):
        return json.loads(self.lines.get(timeout=120))

    def start(self, method, **params):
        self.number += 1
        self.write({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return self.number

    def ask(self, method, **params):
        number = self.start(method, **params)
        answer = self.read()
        assert answer["jsonrpc"] == "2.0" and answer["id"] == number, answer
        return answer

    def call(self, name, **arguments):
        return self.ask("tools/call", name=name, arguments=arguments)

    def text(self, name, **arguments):
        result = self.call(name, **arguments)["result"]
        return result["content"][0]["text"], result["isError"]

    def hello(self):
        answer = self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "test", "version": "1"})
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def end(self):
        self.process.stdin.close()
        code = self.process.wait(timeout=30)
        self.process.stdout.close()
        return code


class Protocol(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.client = Client(self.folder)

    def tearDown(self):
        self.assertEqual(self.client.end(), 0)
        shutil.rmtree(self.folder)

    def test_begins_with_the_version_that_both_know(self):
        result = self.client.hello()
        self.assertEqual(result["protocolVersion"], "2025-06-18")
        self.assertEqual(result["serverInfo"]["name"], "sluice")
        self.assertEqual(self.client.ask("initialize", protocolVersion="1999-01-01")["result"]["protocolVersion"], "2025-06-18")
        self.assertEqual(self.client.ask("ping")["result"], {})

    def test_lists_tools_with_schemas(self):
        self.client.hello()
        tools = self.client.ask("tools/list")["result"]["tools"]
        self.assertEqual({tool["name"] for tool in tools}, {"check", "explain", "compare", "what_if", "tune", "machines"})
        for tool in tools:
            self.assertEqual(tool["inputSchema"]["type"], "object")
            self.assertTrue(tool["description"].endswith("."))

    def test_answers_what_is_wrong_with_codes_of_json_rpc(self):
        self.assertEqual(self.client.ask("tools/list")["error"]["code"], -32600)  # before initialize
        self.client.hello()
        self.client.write("{")
        self.assertEqual(self.client.read()["error"]["code"], -32700)
        self.client.write("[" * 100000)
        self.assertEqual(self.client.read()["error"]["code"], -32700)
        self.client.write({"id": 7})
        self.assertEqual(self.client.read(), {"jsonrpc": "2.0", "id": 7, "error": {
            "code": -32600, "message": "not a request of JSON-RPC 2.0"}})
        self.assertEqual(self.client.ask("no/such")["error"]["code"], -32601)
        error = self.client.call("explian", input="vecadd")["error"]
        self.assertEqual(error["code"], -32602)
        self.assertIn("did you mean 'explain'?", error["message"])
        self.assertIn("did you mean 'input'?", self.client.call("explain", inputs="vecadd")["error"]["message"])
        for arguments in ({"input": 1}, {"input": "a\0b"}, {"input": "vecadd", "args": [1]}, {"input": "vecadd", "args": "x"}):
            self.assertEqual(self.client.call("explain", **arguments)["error"]["code"], -32602)
        self.assertEqual(self.client.ask("resources/read", uri="sluice://result/0")["error"]["code"], -32002)
        self.assertEqual(self.client.ask("resources/read", uri="file:///etc/passwd")["error"]["code"], -32002)

    def test_explains_compares_and_keeps_the_results(self):
        self.client.hello()
        text, failed = self.client.text("explain", input="vecadd")
        self.assertFalse(failed, text)
        self.assertIn("vecadd", text)
        text, failed = self.client.text("what_if", input="vecadd", rule="uncoalesced-loads")
        self.assertFalse(failed, text)
        text, failed = self.client.text("compare", a="matmul", b="matmul_tiled")
        self.assertFalse(failed, text)
        self.assertRegex(text, r"^B is [\d.]+x (faster|slower) \(estimated")
        listed = self.client.ask("resources/list")["result"]["resources"]
        self.assertEqual([resource["uri"] for resource in listed], [f"sluice://result/{n}" for n in range(3)])
        (content,) = self.client.ask("resources/read", uri="sluice://result/2")["result"]["contents"]
        self.assertEqual(json.loads(content["text"])["command"], "compare")
        text, failed = self.client.text("machines")
        self.assertIn("h200", text)

    def test_tunes_and_replaces_no_file(self):
        self.client.hello()
        text, failed = self.client.text("tune", input="gather", size="small", gpu="fermi-gtx480", plan="mine.json")
        self.assertFalse(failed, text)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "mine.json")))
        self.assertEqual(self.client.text("tune", input="gather", plan="mine.json"), ("mine.json: exists already", True))

    def test_names_no_file_outside_of_its_folder(self):
        self.client.hello()
        os.symlink("/bin/true", os.path.join(self.folder, "link"))
        open(os.path.join(self.folder, "kernel.cu"), "w", encoding="utf-8").close()
        for path in ("/bin/true", "../x", "link"):
            text, failed = self.client.text("check", input=path)
            self.assertEqual((text, failed), (f"{path}: outside of the folder that this server was started for", True))
        text, failed = self.client.text("check", input="kernal.cu")
        self.assertEqual((text, failed), ("kernal.cu: no such file; did you mean 'kernel.cu'?", True))
        text, failed = self.client.text("check", input="kernel.cu", flags=["-o/tmp/x"])
        self.assertEqual((text, failed), ("-o/tmp/x: this option of nvcc is not allowed here", True))
        text, failed = self.client.text("explain", input="vecadd", gpu="h20")
        self.assertTrue(failed)
        self.assertIn("h200", text)


def script(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)


def children(text):
    """Processes whose command line has the text."""
    found = 0
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                found += text.encode() in file.read()
        except OSError:
            pass
    return found


class Limits(unittest.TestCase):
    def run_limited(self, text, *options):
        with tempfile.TemporaryDirectory() as folder:
            script(folder, "app", text)
            client = Client(folder, *options)
            client.hello()
            answer = client.text("check", input="app")
            self.assertEqual(client.end(), 0)
        return answer

    def test_ends_what_takes_too_long_with_all_it_started(self):
        begun = time.monotonic()
        text, failed = self.run_limited("sleep 98765 & sleep 98765\n", "--seconds", "1")
        self.assertEqual((text, failed), ("it took longer than 1 seconds (the server's --seconds)", True))
        self.assertLess(time.monotonic() - begun, 60)
        self.assertEqual(children("sleep\x0098765"), 0)

    def test_ends_what_takes_too_much_memory(self):
        text, failed = self.run_limited("x=$(head -c 400000000 /dev/zero | tr '\\0' a); sleep 60\n", "--memory", "0.2")
        self.assertTrue(failed)
        self.assertRegex(text, r"it took \d+ MiB of memory; 204 are allowed")

    def test_ends_what_writes_without_end(self):
        self.assertEqual(self.run_limited("yes\n"), ("it wrote more than 64 MiB of text", True))

    def test_cancels_a_call_and_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            script(folder, "app", "sleep 87654\n")
            client = Client(folder)
            client.hello()
            number = client.start("tools/call", name="check", arguments={"input": "app"})
            self.assertEqual(client.ask("ping")["result"], {})  # answered while the call runs
            client.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
            self.assertIn("h200", client.text("machines")[0])
            self.assertEqual(client.end(), 0)
            self.assertTrue(client.lines.empty())  # the cancelled call was not answered
            self.assertEqual(children("sleep\x0087654"), 0)


@unittest.skipUnless(CHEATS, "the CUDA programs were not built")
class Cheats(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        shutil.copy(CHEATS, os.path.join(cls.folder, "app"))
        script(cls.folder, "other", "echo sum 1047553.0\n")
        cls.client = Client(cls.folder)
        cls.client.hello()

    @classmethod
    def tearDownClass(cls):
        cls.client.end()
        shutil.rmtree(cls.folder)

    def says(self, how, *texts):
        text, failed = self.client.text("check", input="app", args=[how])
        self.assertFalse(failed, text)
        for wanted in texts:
            self.assertIn(wanted, text)

    def test_lets_what_is_right_pass(self):
        self.says("right", "app passes")

    def test_sees_work_on_a_side_stream(self):
        self.says("side", "app is wrong", "the time between two events is without kernel twice")

    def test_sees_work_that_nothing_waits_for(self):
        self.says("unwaited", "the program ends without waiting for kernel twice")

    def test_sees_a_kernel_that_does_nothing(self):
        self.says("nothing", "kernel nothing writes nothing to global memory", "that nothing has written")

    def test_sees_results_of_an_earlier_launch(self):
        self.says("leftover", "a copy to the host of 4096 bytes reads 4096 that nothing has written")

    def test_sees_results_that_are_not_written(self):
        self.says("unwritten", "a copy to the host of 4096 bytes reads 128 that nothing has written")

    def test_sees_accesses_outside(self):
        self.says("outside", "illegal 4-byte write", "0 bytes after the end")

    def test_sees_accesses_to_freed_memory(self):
        self.says("freed", "use after free")

    def test_sees_races(self):
        self.says("racing", "race on shared memory")

    def test_compares_with_a_reference_within_a_tolerance(self):
        self.assertIn("line 1 is 'sum 1047552.0', and should be 'sum 1047553.0'",
                      self.client.text("check", input="app", args=["right"], reference="other")[0])
        self.assertIn("app passes", self.client.text("check", input="app", args=["right"], reference="other", tolerance=1e-5)[0])


unittest.main(verbosity=0, argv=[sys.argv[0]])
