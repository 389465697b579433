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

// The search takes each word for the beginning of one: "a" would find all that begin with it. So words
// that say nothing are left out of a question that has others.
{
  const idle = new Set(
    ("a an and are as at be by can could do does for from have how i if in into is it its me my of on or our so " +
      "that the then there this to us was we what when where which who why will with you your").split(" "),
  );
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...more) {
    let sent = message;
    if (message?.type === 2 && typeof message.data === "string") {
      const words = message.data.split(/\s+/).filter((word) => !idle.has(word.toLowerCase().replace(/\W+$/, "")));
      if (words.length) sent = { ...message, data: words.join(" ") };
    }
    return post.call(this, sent, ...more);
  };
}
