// Responses embedded in the page, each used once by the matching call.

/** Older responses are stale: the tab may have been suspended while loading. */
const FRESH_MS = 20_000;

let answers: Map<string, string> | undefined;

/** @param path of the request with its query; returns the response as JSON text */
export function consumeEarlyResponse(path: string): string | undefined {
  answers ??= new Map(Object.entries(takeEmbedded()));
  if (performance.now() > FRESH_MS) answers.clear();
  const response = answers.get(path);
  answers.delete(path);
  return response;
}

/** Discards the embedded responses; all of them are stale after a change. */
export function clearEarlyResponses(): void {
  takeEmbedded();
  answers = new Map();
}

function takeEmbedded(): Record<string, string> {
  const element = document.getElementById('early-answers');
  const text = element?.textContent ?? '';
  // The element is removed from the document, so that no other script reads it.
  element?.remove();
  return text === '' ? {} : (JSON.parse(text) as Record<string, string>);
}
