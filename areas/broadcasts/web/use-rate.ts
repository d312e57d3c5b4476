// How fast a count grows while it is displayed.
import { useEffect, useState } from 'react';

/** Length of the window that the rate is measured over. */
const WINDOW_MS = 30_000;
/** Minimum time between the first and the last measurement. */
const MIN_MS = 2_500;
const MEASURE_EVERY_MS = 5_000;

type RateSample = { at: number; count: number };

/** Returns the rate per minute and the time of the last measurement; both are 0 at first. */
export function useRate(count: number): { perMinute: number; measuredAt: number } {
  const [samples, setSamples] = useState<RateSample[]>([]);
  useEffect(() => {
    const recordSample = () => {
      const at = Date.now();
      setSamples((previousSamples) => [
        ...previousSamples.filter((earlierSample) => earlierSample.at > at - WINDOW_MS),
        { at, count },
      ]);
    };
    recordSample();
    // A constant count is also measured so that its rate drops.
    const timer = setInterval(recordSample, MEASURE_EVERY_MS);
    return () => clearInterval(timer);
  }, [count]);
  const firstSample = samples[0];
  const lastSample = samples.at(-1);
  if (!firstSample || !lastSample || lastSample.at - firstSample.at < MIN_MS)
    return { perMinute: 0, measuredAt: 0 };
  return {
    perMinute: ((lastSample.count - firstSample.count) / (lastSample.at - firstSample.at)) * 60_000,
    measuredAt: lastSample.at,
  };
}
