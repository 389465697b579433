#!/usr/bin/env python3
"""Corrects a report in headless Firefox, spoken to in its Marionette protocol.

    firefox.py FIREFOX SCREENSHOT NAMED.html

NAMED.html is the report of `named` of make_problems, made with --library. One record of the page that
is labelled wrong throughout is corrected with the mouse, and again with the keyboard; roles and names
are those that Firefox tells assistive technology.
"""

import base64
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Firefox:
    """A browser process with one window. Use with `with`."""

    def __init__(self, program):
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        pathlib.Path(self._profile.name, "user.js").write_text(
            f'user_pref("marionette.port", {port});\n'
            'user_pref("datareporting.policy.dataSubmissionEnabled", false);\n')
        self._process = subprocess.Popen(
            [program, "--headless", "--marionette", "--profile", self._profile.name],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            try:
                self._socket = socket.create_connection(("127.0.0.1", port))
                break
            except OSError:
                time.sleep(0.1)
        self._received = b""
        self._receive()  # a greeting
        self._number = 0
        self.call("NewSession", capabilities={})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()
        self._process.terminate()
        self._process.wait()

    def _receive(self):
        """A message: its length, a colon, and JSON."""
        while b":" not in self._received:
            self._received += self._socket.recv(1 << 16)
        length, self._received = self._received.split(b":", 1)
        while len(self._received) < int(length):
            self._received += self._socket.recv(1 << 16)
        message = json.loads(self._received[:int(length)])
        self._received = self._received[int(length):]
        return message

    def call(self, command, **parameters):
        self._number += 1
        text = json.dumps([0, self._number, "WebDriver:" + command, parameters]).encode()
        self._socket.sendall(b"%d:%s" % (len(text), text))
        _, _, error, result = self._receive()
        if error:
            raise RuntimeError(f"{command}: {error['error']}: {error['message']}")
        return result.get("value", result) if isinstance(result, dict) else result

    def run(self, expression):
        return self.call("ExecuteScript", script=f"return {expression}", args=[])

    def named(self, selector, role, name):
        """The first element that has a role and a name for assistive technology."""
        for found in self.call("FindElements", using="css selector", value=selector):
            element = found[ELEMENT]
            if (self.call("GetComputedRole", id=element) == role
                    and self.call("GetComputedLabel", id=element) == name):
                return element
        return None

    def wait(self, what, of):
        for _ in range(300):
            found = of()
            if found:
                return found
            time.sleep(0.1)
        raise RuntimeError(f"{what} does not come: {self.run('document.body.innerText')[:1000]}")

    def said(self, text):
        statuses = "[...document.querySelectorAll('[role=status]')].map((one) => one.textContent)"
        return self.wait(text, lambda: [one for one in self.run(statuses) if text in one])[0]

    def press(self, selector, role, name):
        element = self.wait(name, lambda: self.named(selector, role, name))
        self.call("ElementClick", id=element)

    def type(self, *keys):
        down = [{"type": "keyDown", "value": key} for key in keys]
        up = [{"type": "keyUp", "value": key} for key in reversed(keys)]
        self.call("PerformActions", actions=[{"type": "key", "id": "keys", "actions": down + up}])


ENTER, CONTROL = "\ue007", "\ue009"


def main():
    program, shot, report = sys.argv[1:]
    with Firefox(program) as browser:
        print("Firefox", browser.run("navigator.userAgent").split("/")[-1])
        browser.call("Navigate", url=pathlib.Path(report).resolve().as_uri())
        browser.run("(window.failed = [], addEventListener('error', (event) => "
                    "failed.push(event.message)), 0)")
        browser.said("This page answers")
        for _ in range(2):
            browser.run("[...document.querySelectorAll('details')].map((one) => one.open = true)")
            time.sleep(0.3)
        wrong = "Nature: Other, gold Venue"
        browser.press("[data-token]", "button", wrong)
        browser.press("#edit button", "button", "Venue")
        print(browser.said("5 other records changed"))
        assert browser.named("[data-token]", "mark", wrong) is None
        text = browser.run("document.body.innerText")
        assert "Records entirely right: 9 to 15 of 17." in text, text[:500]
        pathlib.Path(shot).write_bytes(base64.b64decode(browser.call("TakeScreenshot", full=False)))
        browser.type(CONTROL, "z")
        browser.said("Undone")
        element = browser.wait(wrong, lambda: browser.named("[data-token]", "button", wrong))
        browser.call("ExecuteScript", script="arguments[0].focus()", args=[{ELEMENT: element}])
        browser.type(ENTER)
        browser.wait("the dialog",
                     lambda: browser.named("dialog", "dialog", "\u201cNature\u201d is Other"))
        element = browser.named("#edit button", "button", "Venue")
        browser.call("ExecuteScript", script="arguments[0].focus()", args=[{ELEMENT: element}])
        browser.type(ENTER)
        browser.said("\u201cNature\u201d is Venue: 6 labels changed")
        assert browser.run("failed") == [], browser.run("failed")
    print("ok")


if __name__ == "__main__":
    main()
