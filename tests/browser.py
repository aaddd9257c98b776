"""A headless Chromium for the tests, over its DevTools protocol: opens a page, and writes down what it does."""

import asyncio
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp

# the drawings of a phone are put in after the page has been loaded, and what was tapped before is gone then
LAID_OUT = """!matchMedia('(max-width: 600px)').matches || typeof DecompressionStream === 'undefined'
    || !document.querySelector('.figure .canvas:not(.stacked)')"""
# a page unpacks its appendix as soon as it has nothing else to do
UNPACKED = "typeof DecompressionStream === 'undefined' || !document.querySelector('#appendix > details > .packed')"
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def chromium() -> str | None:
    """Where Chromium is; $CHROMIUM says so where it has another name."""
    return os.environ.get("CHROMIUM") or next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One tab. `log` holds what went to the console and what was thrown, `requests` every address asked for."""

    def __init__(self, loop: asyncio.AbstractEventLoop, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._loop, self._socket, self._number = loop, socket, 0
        self.log: list[str] = []
        self.requests: list[str] = []
        self._seen: list[str] = []
        self._loader = ""  # of the document that the tab shows

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        return self._loop.run_until_complete(self._call(method, params))

    async def _call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        number = self._number
        await self._socket.send_json({"id": number, "method": method, "params": params})
        while True:
            message = await self._socket.receive_json(timeout=60)
            if message.get("id") == number:
                assert "error" not in message, message
                found: dict[str, Any] = message["result"]
                return found
            self._heard(message)

    def _heard(self, message: dict[str, Any]) -> None:
        method, params = message.get("method", ""), message.get("params", {})
        self._seen.append(method)
        if method == "Runtime.consoleAPICalled":
            self.log.append(json.dumps(params["args"]))
        elif method == "Runtime.exceptionThrown":
            self.log.append(json.dumps(params["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.log.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Page.frameNavigated" and "parentId" not in params["frame"]:
            self._loader = params["frame"]["loaderId"]
        elif method == "Page.javascriptDialogOpening":
            self.log.append(f"dialog: {params['message']}")

    def navigate(self, url: str) -> None:
        """Leave a page for another address, and wait until the tab shows that. Chromium forgets to answer who asks for
        the next address before that.
        """
        loader = self.call("Page.navigate", url=url)["loaderId"]
        while self._loader != loader:
            self._heard(self._loop.run_until_complete(self._socket.receive_json(timeout=60)))

    def open(self, page: Path, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Load a page anew, and wait until a phone's figures are laid out and the appendix is unpacked; the log and the
        history start empty.
        """
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media="", features=[scheme])
        self.navigate("about:blank")
        self.log.clear()
        self.requests.clear()
        self.navigate(page.resolve().as_uri())
        self.until("document.readyState === 'complete'")
        self.until(LAID_OUT)
        self.until(UNPACKED)
        self.call("Page.resetNavigationHistory")  # a browser remembers fifty steps, and then no further one is seen

    def js(self, expression: str) -> Any:
        """The value of an expression, awaited."""
        found = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, condition: str) -> None:
        """Wait until an expression is true."""
        for _ in range(400):
            if self.js(condition):
                return
            time.sleep(0.025)
        raise AssertionError(f"never came true: {condition}")

    def colours(self, x: float, y: float, width: int, height: int) -> list[list[tuple[int, ...]]]:
        """Rows of pixels of what is in the window, as red, green and blue."""
        left, top = self.js("[scrollX, scrollY]")  # a picture is cut from the page
        clip = {"x": left + x, "y": top + y, "width": width, "height": height, "scale": 1}
        png = self.call("Page.captureScreenshot", clip=clip)["data"]
        found = self.js(f"""(async () => {{
            const image = new Image();
            image.src = "data:image/png;base64,{png}";
            await image.decode();
            const canvas = new OffscreenCanvas({width}, {height}).getContext("2d");
            canvas.drawImage(image, 0, 0);
            return [...canvas.getImageData(0, 0, {width}, {height}).data];
        }})()""")
        pixels = [tuple(found[k : k + 3]) for k in range(0, len(found), 4)]
        return [pixels[row * width : (row + 1) * width] for row in range(height)]

    def press(self, key: str, code: int, modifiers: int = 0) -> None:
        text = {"Enter": "\r", " ": " "}.get(key)
        down = {"text": text} if text else {}
        common = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **down)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)


@contextmanager
def browsing(program: str) -> Iterator[Browser]:
    """A fresh browser, without network, that is gone afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
        quiet = ["--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
        process = subprocess.Popen(
            [program, *flags, *quiet, "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        loop = asyncio.new_event_loop()
        try:
            port = _port(Path(profile), process)
            session = loop.run_until_complete(_session())
            try:
                socket = loop.run_until_complete(_tab(session, port))
                browser = Browser(loop, socket)
                for domain in ("Page", "Runtime", "Log", "Network"):
                    browser.call(f"{domain}.enable")
                yield browser
                loop.run_until_complete(socket.close())
            finally:
                loop.run_until_complete(session.close())
        finally:
            process.terminate()
            process.wait(timeout=20)
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()


async def _session() -> aiohttp.ClientSession:
    return aiohttp.ClientSession()


async def _tab(session: aiohttp.ClientSession, port: int) -> aiohttp.ClientWebSocketResponse:
    async with session.get(f"http://127.0.0.1:{port}/json/list") as reply:
        tabs = await reply.json()
    page = next(tab for tab in tabs if tab["type"] == "page")
    return await session.ws_connect(page["webSocketDebuggerUrl"], max_msg_size=0, heartbeat=None)


def _port(profile: Path, process: "subprocess.Popen[bytes]") -> int:
    place = profile / "DevToolsActivePort"
    for _ in range(1200):
        if place.exists() and (lines := place.read_text().splitlines()):
            return int(lines[0])
        assert process.poll() is None, "Chromium ended before it began"
        time.sleep(0.05)
    raise AssertionError("Chromium opened no port")
