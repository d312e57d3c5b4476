// Runs work once the screen is completely shown: its calls have ended, and its fonts and the images
// in view are loaded. Earlier requests would share a phone's bandwidth with the content that the
// user waits for.
import { queryClient } from '../api/queries.ts';

const CHECK_MS = 200;
/** A screen that never settles, because a call hangs, delays the work by this many checks. */
const MAX_CHECKS = 25;

/** @returns a function that cancels the work */
export function whenSettled(work: () => void): () => void {
  let checks = 0;
  const timer = setInterval(() => {
    if (++checks < MAX_CHECKS && !isSettled()) return;
    clearInterval(timer);
    if ('requestIdleCallback' in globalThis) requestIdleCallback(work, { timeout: 1000 });
    else setTimeout(work, CHECK_MS);
  }, CHECK_MS);
  return () => clearInterval(timer);
}

function isSettled(): boolean {
  return (
    queryClient.isFetching() === 0 &&
    document.fonts?.status !== 'loading' &&
    [...document.images].every((image) => image.complete || !isInView(image))
  );
}

/** Returns whether the image is in view; others may wait for scrolling (`loading="lazy"`). */
function isInView(image: HTMLImageElement): boolean {
  const { top, bottom } = image.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}
