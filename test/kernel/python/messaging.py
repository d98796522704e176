"""What the Jupyter messaging protocol asks of a kernel, message by message, as its own client sees it."""

import itertools
import queue
import signal
import time
import unittest

from jupyter_client import KernelManager

TIMEOUT = 30


def start():
    """A kernel, and a client that it has answered."""
    manager = KernelManager(kernel_name="siteframe")
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=TIMEOUT)
    return manager, client


class Messaging(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.manager, cls.client = start()

    @classmethod
    def tearDownClass(cls):
        cls.client.stop_channels()
        cls.manager.shutdown_kernel(now=True)

    def broadcasts(self, msg_id, until="idle"):
        """Everything that is published about a request, up to its idle status."""
        found = []
        while True:
            message = self.client.get_iopub_msg(timeout=TIMEOUT)
            if message["parent_header"].get("msg_id") != msg_id:
                continue
            if message["msg_type"] == "status":
                found.append(message["content"]["execution_state"])
                if found[-1] == until:
                    return found
            else:
                found.append(message)

    def reply(self, msg_id, channel="shell"):
        while True:
            message = getattr(self.client, f"get_{channel}_msg")(timeout=TIMEOUT)
            if message["parent_header"].get("msg_id") == msg_id:
                return message

    def execute(self, code, **options):
        msg_id = self.client.execute(code, **options)
        published = self.broadcasts(msg_id)
        return self.reply(msg_id)["content"], [each for each in published if not isinstance(each, str)]

    def request(self, kind, content, channel="shell"):
        message = self.client.session.msg(kind, content)
        getattr(self.client, f"{channel}_channel").send(message)
        return message["header"]["msg_id"]

    def types(self, messages):
        return [message["msg_type"] for message in messages]

    def text(self, messages):
        return [m["content"]["data"]["text/plain"] for m in messages if m["msg_type"] == "execute_result"]

    def test_everything_is_published_between_busy_and_idle(self):
        msg_id = self.client.execute("for (let i = 0; i < 3; i++) console.log(i); display(5); console.error('e'); 6")
        published = self.broadcasts(msg_id)
        kinds = [each if isinstance(each, str) else each["msg_type"] for each in published]
        # What is printed in one go may come in several messages.
        kinds = [kind for kind, _ in itertools.groupby(kinds)]
        self.assertEqual(
            kinds, ["busy", "execute_input", "stream", "display_data", "stream", "execute_result", "idle"]
        )
        self.reply(msg_id)
        with self.assertRaises(queue.Empty):
            self.client.get_iopub_msg(timeout=0.3)

    def test_late_output_names_its_cell_and_comes_after_idle(self):
        msg_id = self.client.execute("setTimeout(() => console.log('late'), 1500); 1")
        self.broadcasts(msg_id)
        message = self.client.get_iopub_msg(timeout=TIMEOUT)
        self.assertEqual((message["msg_type"], message["parent_header"]["msg_id"]), ("stream", msg_id))
        self.reply(msg_id)

    def test_silent(self):
        counted, _ = self.execute("1")
        reply, published = self.execute("Object.assign(globalThis, { ran: 7 }); console.log(1); 2", silent=True)
        self.assertEqual((reply["status"], published), ("ok", []))
        self.assertEqual(reply["execution_count"], counted["execution_count"])
        self.assertEqual(self.text(self.execute("Reflect.get(globalThis, 'ran')")[1]), ["7"])
        reply, published = self.execute("throw new Error('unheard')", silent=True)
        self.assertEqual((reply["status"], published), ("error", []))

    def test_store_history(self):
        counted, _ = self.execute("'kept'")
        reply, published = self.execute("'not kept'", store_history=False)
        self.assertEqual(reply["execution_count"], counted["execution_count"])
        self.assertEqual(self.types(published), ["execute_input", "execute_result"])
        msg_id = self.client.history(hist_access_type="tail", n=1, raw=True, output=False)
        self.broadcasts(msg_id)
        self.assertEqual(self.reply(msg_id)["content"]["history"][0][2], "'kept'")

    def test_user_expressions(self):
        expressions = {"right": "2 * 21", "wrong": "no_such_name", "late": "await Promise.resolve(1)"}
        reply, published = self.execute("const base = 1;", user_expressions=expressions)
        found = reply["user_expressions"]
        self.assertEqual(found["right"]["data"]["text/plain"], "42")
        self.assertEqual(found["right"]["status"], "ok")
        self.assertEqual(found["late"]["data"]["text/plain"], "1")
        self.assertEqual(found["wrong"]["status"], "error")
        self.assertEqual(set(found["wrong"]) & {"ename", "evalue", "traceback"}, {"ename", "evalue", "traceback"})
        self.assertEqual(self.types(published), ["execute_input"])
        reply, _ = self.execute("throw 1", user_expressions=expressions)
        self.assertEqual(reply["user_expressions"], {})

    def test_stop_on_error(self):
        first = self.client.execute("await new Promise((go) => setTimeout(go, 1000)); throw new Error('first')")
        second = self.client.execute("console.log('second')")
        self.broadcasts(first)
        self.assertEqual(self.broadcasts(second), ["busy", "idle"])
        self.assertEqual(self.reply(first)["content"]["status"], "error")
        self.assertEqual(self.reply(second)["content"]["status"], "aborted")
        first = self.client.execute("throw new Error('first')", stop_on_error=False)
        second = self.client.execute("console.log('second')")
        self.broadcasts(first)
        self.broadcasts(second)
        self.assertEqual(self.reply(first)["content"]["status"], "error")
        self.assertEqual(self.reply(second)["content"]["status"], "ok")

    def test_errors(self):
        reply, published = self.execute("throw new RangeError('too far')")
        error = next(m["content"] for m in published if m["msg_type"] == "error")
        for each in (reply, error):
            self.assertEqual((each["ename"], each["evalue"]), ("RangeError", "too far"))
            self.assertIsInstance(each["traceback"], list)

    def test_input(self):
        msg_id = self.client.execute("[await input('Name? '), await input('Key? ', { password: true })]")
        for prompt, password, answer in (("Name? ", False, "Ada"), ("Key? ", True, "secret")):
            asked = self.client.get_stdin_msg(timeout=TIMEOUT)
            self.assertEqual(asked["msg_type"], "input_request")
            self.assertEqual(asked["parent_header"]["msg_id"], msg_id)
            self.assertEqual(asked["content"], {"prompt": prompt, "password": password})
            self.client.input(answer)
        published = self.broadcasts(msg_id)
        self.assertEqual(self.text([m for m in published if not isinstance(m, str)]), ["[ 'Ada', 'secret' ]"])
        self.reply(msg_id)

    def test_no_input_without_stdin(self):
        reply, _ = self.execute("await input('?')", allow_stdin=False)
        self.assertEqual((reply["status"], reply["ename"]), ("error", "NoInputError"))

    def test_displays_are_updated_and_cleared(self):
        _, published = self.execute(
            "display(1, { id: 'x' }); display(2, { id: 'x', update: true }); clearOutput(); clearOutput({ wait: true })"
        )
        self.assertEqual(
            self.types(published)[1:], ["display_data", "update_display_data", "clear_output", "clear_output"]
        )
        self.assertEqual(published[1]["content"]["transient"], {"display_id": "x"})
        self.assertEqual(published[2]["content"]["data"]["text/plain"], "2")
        self.assertEqual([m["content"]["wait"] for m in published[3:]], [False, True])
        _, later = self.execute("display(3, { id: 'x', update: true })")
        self.assertEqual(self.types(later)[1:], ["update_display_data"])

    def test_inspect_and_complete(self):
        self.execute("/** How warm it is. */\nconst reading = { celsius: 21 };")
        msg_id = self.client.inspect("reading.celsius", cursor_pos=3)
        self.broadcasts(msg_id)
        content = self.reply(msg_id)["content"]
        self.assertTrue(content["found"])
        self.assertIn("celsius", content["data"]["text/plain"])
        msg_id = self.client.inspect("   ", cursor_pos=1)
        self.broadcasts(msg_id)
        self.assertEqual(self.reply(msg_id)["content"]["found"], False)
        msg_id = self.client.complete("1; reading.cel", cursor_pos=14)
        self.broadcasts(msg_id)
        content = self.reply(msg_id)["content"]
        self.assertEqual((content["matches"], content["cursor_start"], content["cursor_end"]), (["celsius"], 11, 14))

    def test_is_complete(self):
        for code, status, indent in [
            ("1 + 1", "complete", None),
            ("function f() {", "incomplete", "  "),
            ("if (true) {\n  for (;;) {", "incomplete", "    "),
            ("const = 1", "invalid", None),
        ]:
            msg_id = self.client.is_complete(code)
            self.broadcasts(msg_id)
            content = self.reply(msg_id)["content"]
            self.assertEqual((content["status"], content.get("indent")), (status, indent), code)

    def test_history(self):
        self.execute("'first of history'")
        counted, _ = self.execute("'second of history'")
        ask = lambda **options: self.client.history(raw=True, **options)

        def entries(msg_id):
            self.broadcasts(msg_id)
            return self.reply(msg_id)["content"]["history"]

        tail = entries(ask(hist_access_type="tail", n=2, output=True))
        self.assertEqual([each[2][0] for each in tail], ["'first of history'", "'second of history'"])
        self.assertEqual(tail[1][2][1], "'second of history'")
        line = counted["execution_count"]
        ranged = entries(ask(hist_access_type="range", session=0, start=line - 1, stop=line + 1, output=False))
        self.assertEqual([each[1:] for each in ranged], [[line - 1, "'first of history'"], [line, "'second of history'"]])
        found = entries(ask(hist_access_type="search", pattern="'*of history'", n=10, unique=True, output=False))
        self.assertEqual([each[2] for each in found], ["'first of history'", "'second of history'"])

    def test_comms_both_ways(self):
        _, published = self.execute(
            "const line = comms.open('panel', { a: 1 }); line.onMessage = ({ data }) => line.send({ back: data });"
            "line.onClose = () => console.log('closed');"
            "comms.register('page', (comm) => { comm.onMessage = ({ data }) => { comm.send(data); comm.close(); }; });"
        )
        opened = next(m["content"] for m in published if m["msg_type"] == "comm_open")
        comm_id = opened["comm_id"]
        self.assertEqual((opened["target_name"], opened["data"]), ("panel", {"a": 1}))
        msg_id = self.client.comm_info("panel")
        self.broadcasts(msg_id)
        self.assertEqual(self.reply(msg_id)["content"]["comms"], {comm_id: {"target_name": "panel"}})
        sent = self.request("comm_msg", {"comm_id": comm_id, "data": {"n": 5}})
        back = [m for m in self.broadcasts(sent) if not isinstance(m, str)]
        self.assertEqual([(m["msg_type"], m["content"]["data"]) for m in back], [("comm_msg", {"back": {"n": 5}})])
        sent = self.request("comm_close", {"comm_id": comm_id, "data": {}})
        self.assertEqual(
            [m["content"]["text"] for m in self.broadcasts(sent) if not isinstance(m, str)], ["closed\n"]
        )
        self.broadcasts(self.request("comm_open", {"comm_id": "mine", "target_name": "page", "data": {}}))
        echoed = self.broadcasts(self.request("comm_msg", {"comm_id": "mine", "data": {"m": 6}}))
        self.assertEqual(self.types([m for m in echoed if not isinstance(m, str)]), ["comm_msg", "comm_close"])
        msg_id = self.client.comm_info()
        self.broadcasts(msg_id)
        self.assertEqual(self.reply(msg_id)["content"]["comms"], {})

    def test_interrupt_by_message_and_by_signal(self):
        self.execute("let survivor = 1;")
        for interrupt in (
            self.manager.interrupt_kernel,
            lambda: self.manager.signal_kernel(signal.SIGINT),
        ):
            for code in ("for (;;);", "await new Promise(() => {});", "await null; for (;;);"):
                msg_id = self.client.execute(code)
                self.broadcasts(msg_id, until="busy")
                time.sleep(0.7)
                interrupt()
                self.broadcasts(msg_id)
                self.assertEqual(self.reply(msg_id)["content"]["status"], "error")
                self.assertEqual(self.text(self.execute("survivor")[1]), ["1"])

    def test_control_is_answered_while_a_cell_is_busy(self):
        msg_id = self.client.execute("for (;;);")
        self.broadcasts(msg_id, until="busy")
        asked = self.request("kernel_info_request", {}, "control")
        self.assertEqual(self.reply(asked, "control")["content"]["status"], "ok")
        # A beat that takes longer than a second counts as missed, until the next one.
        deadline = time.monotonic() + TIMEOUT
        while not self.client.hb_channel.is_beating() and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertTrue(self.client.is_alive() and self.client.hb_channel.is_beating())
        asked = self.request("interrupt_request", {}, "control")
        self.assertEqual(self.reply(asked, "control")["content"], {"status": "ok"})
        self.broadcasts(msg_id)
        self.reply(msg_id)

    def test_says_that_it_can_debug(self):
        content = {"seq": 1, "type": "request", "command": "debugInfo", "arguments": {}}
        asked = self.request("debug_request", content, "control")
        answer = self.reply(asked, "control")["content"]
        self.assertEqual((answer["success"], answer["request_seq"], answer["command"]), (True, 1, "debugInfo"))
        self.assertFalse(answer["body"]["isStarted"])
        self.client.kernel_info()
        info = self.client.get_shell_msg(timeout=TIMEOUT)["content"]
        self.assertTrue(info.get("debugger"))


class Lifetime(unittest.TestCase):
    def setUp(self):
        self.manager, self.client = start()

    def tearDown(self):
        self.client.stop_channels()
        if self.manager.is_alive():
            self.manager.shutdown_kernel(now=True)

    def text(self, code):
        found = []
        self.client.execute_interactive(
            code, timeout=TIMEOUT, output_hook=lambda m: found.append(m["content"].get("data", {}).get("text/plain"))
        )
        return [each for each in found if each]

    def test_shutdown(self):
        self.manager.shutdown_kernel(now=False)
        self.assertFalse(self.manager.is_alive())

    def test_restart_forgets_variables_and_keeps_history(self):
        self.text("const before = 'kept on disk'; before")
        self.assertEqual(self.text("before"), ["'kept on disk'"])
        self.manager.restart_kernel(now=False)
        self.client.wait_for_ready(timeout=TIMEOUT)
        reply = self.client.execute_interactive("before", timeout=TIMEOUT, output_hook=lambda message: None)
        self.assertIn("Cannot find name 'before'", reply["content"]["evalue"])
        self.assertEqual(self.text("1 + 1"), ["2"])
        reply = self.client.history(hist_access_type="search", pattern="*kept on disk*", n=1, reply=True, timeout=TIMEOUT)
        self.assertEqual(reply["content"]["history"][0][2], "const before = 'kept on disk'; before")


if __name__ == "__main__":
    unittest.main(verbosity=2)
