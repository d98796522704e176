"""Types into `jupyter console --kernel siteframe` in a terminal, and reads what it shows."""

import os
import sys
import time
import unittest

import pexpect

TIMEOUT = 60


class Console(unittest.TestCase):
    def setUp(self):
        env = {**os.environ, "TERM": "dumb", "PROMPT_TOOLKIT_NO_CPR": "1"}
        arguments = ["-m", "jupyter_console", "--kernel", "siteframe", "--simple-prompt"]
        self.console = pexpect.spawn(
            sys.executable, arguments, env=env, encoding="utf8", timeout=TIMEOUT, dimensions=(40, 120)
        )
        self.console.expect_exact("In [1]:")

    def tearDown(self):
        self.console.close(force=True)

    def test_a_session(self):
        console = self.console
        console.sendline("const n: number = 6 * 7; n")
        console.expect(r"Out\[1\]:\s+42")
        console.expect_exact("In [2]:")
        console.sendline("console.log('printed', n)")
        console.expect_exact("\nprinted 42")
        console.expect_exact("In [3]:")
        console.sendline("const wrong: string = n;")
        console.expect_exact("Type 'number' is not assignable to type 'string'")
        console.expect_exact("In [4]:")
        console.sendline("await input('Who? ')")
        console.expect_exact("Who? ")
        console.sendline("Ada")
        console.expect(r"Out\[4\]:\s+'Ada'")
        console.expect_exact("In [5]:")
        console.sendline("console.log('turning'); await null; for (;;);")
        console.expect_exact("\nturning")
        time.sleep(0.5)
        console.sendintr()
        console.expect_exact("The cell was interrupted")
        console.expect_exact("In [6]:")
        console.sendline("n + 1")
        console.expect(r"Out\[6\]:\s+43")
        console.expect_exact("In [7]:")
        console.sendeof()
        console.expect_exact("Do you really want to exit")
        console.sendline("y")
        console.expect(pexpect.EOF)


if __name__ == "__main__":
    unittest.main(verbosity=2)
