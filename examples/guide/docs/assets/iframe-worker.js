// Pages opened from files may not start workers. There the search runs in a hidden frame instead,
// which has the part of the interface of workers that the search uses.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      window.addEventListener("message", (event) => {
        if (event.source !== frame.contentWindow) return;
        const message = new MessageEvent("message", { data: event.data });
        this.dispatchEvent(message);
        this.onmessage?.(message);
      });
      const inner = frame.contentWindow;
      inner.document.open();
      inner.document.write("<!doctype html><title>Search</title><body></body>");
      inner.document.close();
      inner.postMessage = (data) => window.dispatchEvent(new MessageEvent("message", { data, source: inner }));
      inner.importScripts = (...urls) =>
        urls.reduce(
          (before, next) =>
            before.then(
              () =>
                new Promise((resolve, reject) => {
                  const script = inner.document.createElement("script");
                  Object.assign(script, { src: next, onload: resolve, onerror: reject });
                  inner.document.body.append(script);
                }),
            ),
          Promise.resolve(),
        );
      this.inner = inner;
      this.ready = inner.importScripts(url);
    }
    postMessage(data) {
      this.ready.then(() => this.inner.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {}
  };
}
