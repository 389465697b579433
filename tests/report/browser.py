"""A headless Chromium, spoken to in its DevTools protocol over a pipe: no port, no library."""

import json
import os
import subprocess
import tempfile


class Browser:
    """A browser process. Use with `with`; `page` gives a tab."""

    def __init__(self, program):
        self._profile = tempfile.TemporaryDirectory()
        # The browser reads commands from file descriptor 3 and answers on 4.
        read_commands, self._commands = os.pipe()
        self._answers, write_answers = os.pipe()
        command = [
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--remote-debugging-pipe",
            "--user-data-dir=" + self._profile.name,
        ]
        redirect = 'exec "$@" 3<&%d 4>&%d' % (read_commands, write_answers)
        self._process = subprocess.Popen(
            ["bash", "-c", redirect, "bash", *command],
            pass_fds=(read_commands, write_answers), stderr=subprocess.DEVNULL)
        os.close(read_commands)
        os.close(write_answers)
        self._received = b""
        self._number = 0
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._commands)  # the browser ends with the pipe
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._answers)
        for _ in range(20):  # late children still write to the profile
            try:
                self._profile.cleanup()
                break
            except OSError:
                continue

    def _receive(self):
        while b"\0" not in self._received:
            more = os.read(self._answers, 1 << 16)
            if not more:
                raise RuntimeError("the browser has ended")
            self._received += more
        message, self._received = self._received.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        """One command and its result; events met on the way are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._commands, data):]
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        """Waits for an event, which may have come already."""
        while not any(event["method"] == method for event in self.events if "method" in event):
            self.events.append(self._receive())

    def page(self):
        return Page(self)


class Page:
    """A tab, and what it complains of."""

    def __init__(self, browser):
        self._browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = browser.call(
            "Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def call(self, method, **parameters):
        return self._browser.call(method, session=self._session, **parameters)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=self._touch)

    def show(self, path, width, height, scheme, touch):
        self._touch = touch
        self.resize(width, height)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        self._browser.events.clear()
        self.call("Page.navigate", url="file://" + path)
        self._browser.wait("Page.loadEventFired")

    def run(self, script):
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def complaints(self):
        """Everything on the console, and every request but that for the file itself."""
        found = []
        for event in self._browser.events:
            method, details = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append("exception: " + details["exceptionDetails"]["text"])
            elif method == "Runtime.consoleAPICalled":
                found.append("console: " + str(details["args"]))
            elif method == "Log.entryAdded":
                found.append("log: " + details["entry"]["text"])
            elif method == "Page.javascriptDialogOpening":
                found.append("dialog: " + details["message"])
            elif method == "Network.requestWillBeSent":
                url = details["request"]["url"]
                if details["type"] != "Document" and not url.startswith("data:"):
                    found.append("request: " + url)
        return found

    def mouse(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def tap(self, x, y):
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                      windowsVirtualKeyCode={"Tab": 9, "Escape": 27, "Enter": 13}[name])

    def type(self, key, code, modifiers=0):
        """A key with its code of Windows; modifiers: 2 for Ctrl, 8 for Shift."""
        text = {"Enter": "\r", " ": " "}.get(key)
        for kind in ("keyDown", "keyUp"):
            typed = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, modifiers=modifiers,
                      windowsVirtualKeyCode=code, **typed)

    def all(self, role, name):
        """The elements that have a role and a name for assistive technology."""
        document = self.call("DOM.getDocument", depth=0)["root"]["nodeId"]
        found = self.call("Accessibility.queryAXTree", nodeId=document, role=role,
                          accessibleName=name)["nodes"]
        return [node["backendDOMNodeId"] for node in found if not node.get("ignored")]

    def tree(self):
        """What assistive technology is told: for each node its role, name and states."""
        found = []
        for node in self.call("Accessibility.getFullAXTree")["nodes"]:
            if node.get("ignored"):
                continue
            states = {one["name"]: one["value"].get("value") for one in node.get("properties", [])}
            found.append({
                "role": node["role"]["value"], "name": node.get("name", {}).get("value", ""),
                "live": states.get("live"), "popup": states.get("hasPopup"),
                "level": states.get("level"),
                "pressed": states.get("pressed"), "focused": states.get("focused", False),
                "node": node.get("backendDOMNodeId")})
        return found

    def node(self, role, name):
        return next((one for one in self.tree() if (one["role"], one["name"]) == (role, name)), None)

    def focused(self):
        """Role and name of what has the focus."""
        for one in self.tree():
            if one["focused"] and one["role"] != "RootWebArea":
                return one["role"], one["name"]
        return "", ""

    def statuses(self):
        """Texts of the elements that are read out when they change."""
        return self.run("[...document.querySelectorAll('[role=status]')].map((one) => "
                        "one.textContent)")

    def _one(self, role, name):
        found = self.all(role, name)
        if not found:
            raise RuntimeError(f"no {role} is named {name!r}")
        return found[0]

    def press(self, role, name, touch=False):
        """Clicks or taps in the middle of the element with a role and a name."""
        node = self._one(role, name)
        self.call("DOM.scrollIntoViewIfNeeded", backendNodeId=node)
        quad = self.call("DOM.getContentQuads", backendNodeId=node)["quads"][0]
        x, y = sum(quad[0::2]) / 4, sum(quad[1::2]) / 4
        if touch:
            self.tap(x, y)
            return
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def screenshot(self):
        """PNG, in base64."""
        return self.call("Page.captureScreenshot", format="png")["data"]
