"""The public Jupyter kernel test suite, with every optional capability declared."""

import unittest

import jupyter_kernel_test


class SiteframeKernelTests(jupyter_kernel_test.KernelTests):
    kernel_name = "siteframe"
    language_name = "typescript"
    file_extension = ".ts"
    code_hello_world = "console.log('hello, world')"
    code_stderr = "console.error('oops')"
    completion_samples = [
        {"text": "const zebra = 1; zebr", "matches": {"zebra"}},
        {"text": "JSON.str", "matches": {"stringify"}},
    ]
    complete_code_samples = ["1", "const a = 1;", "function f(n: number) {\n  return n;\n}"]
    incomplete_code_samples = ["function f(", "if (1) {", "const t = `open", "[1,"]
    invalid_code_samples = ["const = 1", "a b c", "}"]
    code_page_something = "page('help')"
    code_generate_error = "throw new Error('no')"
    code_execute_result = [
        {"code": "1 + 1", "result": "2"},
        {"code": "'a'.repeat(3)", "result": "'aaa'"},
        {"code": "await Promise.resolve(7)", "result": "7"},
        {"code": "[1, 2].map((n) => n * 2)", "result": "[ 2, 4 ]"},
        {"code": "html`<b>x</b>`", "result": "<b>x</b>", "mime": "text/html"},
    ]
    code_display_data = [
        {"code": "display(html`<b>x</b>`)", "mime": "text/html"},
        {"code": "display(svg`<svg/>`)", "mime": "image/svg+xml"},
        {"code": "display(md`**x**`)", "mime": "text/markdown"},
    ]
    code_history_pattern = "1?+*"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "console"
    code_clear_output = "clearOutput()"

    def execute_helper(self, *args, **options):
        """The suite waits a tenth of a second for each message, too little on a busy machine."""
        channel = self.kc.iopub_channel
        get = channel.get_msg
        channel.get_msg = lambda timeout=None: get(timeout=30)
        try:
            return super().execute_helper(*args, **options)
        finally:
            del channel.get_msg


class SiteframeWelcomeTests(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = "siteframe"
    support_iopub_welcome = True


if __name__ == "__main__":
    unittest.main(verbosity=2)
