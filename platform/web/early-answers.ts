// Answers that came with the page, each taken once: by the call that would have asked for it.

/** What is older says nothing about now: a tab that slept while it was opened. */
const FRESH_MS = 20_000;

let answers: Map<string, string> | undefined;

/** @param path as it would be asked for, with its query; the answer as JSON wrote it */
export function takeEarlyAnswer(path: string): string | undefined {
  answers ??= new Map(Object.entries(written()));
  if (performance.now() > FRESH_MS) answers.clear();
  const answer = answers.get(path);
  answers.delete(path);
  return answer;
}

/** After a change nothing that was said before it is to be believed. */
export function forgetEarlyAnswers(): void {
  written();
  answers = new Map();
}

function written(): Record<string, string> {
  const place = document.getElementById('early-answers');
  const text = place?.textContent ?? '';
  // Nobody else is to read it.
  place?.remove();
  return text === '' ? {} : (JSON.parse(text) as Record<string, string>);
}
