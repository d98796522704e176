"""Requests whose course depends on Jupyter's own client: its dates, channels and signals. `protocol.test.ts` has the others."""

import signal
import time
import unittest

from jupyter_client import KernelManager

TIMEOUT = 30


def start():
    """Starts a kernel and a client, and waits for the first reply."""
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
        """Returns all messages published about a request, up to its idle status."""
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
        # A heartbeat that takes longer than a second counts as missed until the next heartbeat.
        deadline = time.monotonic() + TIMEOUT
        while not self.client.hb_channel.is_beating() and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertTrue(self.client.is_alive() and self.client.hb_channel.is_beating())
        asked = self.request("interrupt_request", {}, "control")
        self.assertEqual(self.reply(asked, "control")["content"], {"status": "ok"})
        self.broadcasts(msg_id)
        self.reply(msg_id)


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
