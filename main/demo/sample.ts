// The sample data of new owners: the demo's tea shop with fewer subscribers, ready within seconds.
import type { SampleFiller } from '#areas/dashboard/server/sample.ts';
import { fillSample } from './fill.ts';
import { removeAccount } from './removal.sql.ts';

const SAMPLE_PEOPLE = 2_000;

export const sampleFiller = (publicUrl: string, subscriberCount = SAMPLE_PEOPLE): SampleFiller => ({
  fill: (tx, sample) => fillSample(tx, { ...sample, subscriberCount, publicUrl }),
  remove: removeAccount,
});
