// 7: a relay that reads one byte a second on some connections: each command has its time limit, and
// another account retains at least nine tenths of its rate.
import {
  readDeliveryOf,
  type FaultTest,
  limits,
  startLocalSender,
  type Scene,
  withScene,
  waitUntil,
} from './kit.ts';

const SUBSCRIBERS = 4_000;
const SECONDS = 8;
const LIMIT_MS = 2_000;
const PER_SECOND = 200;

export const fault: FaultTest = {
  number: 7,
  title: 'a relay that reads one byte a second on one connection of ten',
  run: async (print) => {
    const baseline = await withScene(measure);
    print(`without slow connections: ${baseline.facts}`);
    // Connections 1, 11, 21 … read slowly, and replacements of closed connections may as well.
    const slowed = await withScene(measure, {
      slowReading: (connection) => (connection % 10 === 1 ? 1_000 : 0),
    });
    print(`with slow connections: ${slowed.facts}`);
    const rateRatio = Number(slowed.facts.split(' ')[0]) / Number(baseline.facts.split(' ')[0]);
    const problems = [...baseline.problems, ...slowed.problems];
    if (!(rateRatio >= 0.9))
      problems.push(`The other account retained ${(rateRatio * 100).toFixed(0)} %`);
    return {
      problems,
      facts: `the other account retained ${(rateRatio * 100).toFixed(0)} % of its rate`,
    };
  },
};

/** Copies per second that one account sends during a campaign of another account. */
async function measure(scene: Scene) {
  const otherCampaign = await scene.campaign(SUBSCRIBERS);
  const measuredCampaign = await scene.campaign(SUBSCRIBERS);
  const sender = startLocalSender(scene, {
    connections: 10,
    rate: PER_SECOND,
    limits: limits({ data: LIMIT_MS, dot: LIMIT_MS }),
  });
  const countAccepted = async () =>
    (await readDeliveryOf(scene.db, measuredCampaign)).counts.accepted;
  const problems: string[] = [];
  if (!(await waitUntil(async () => (await countAccepted()) > 20, 30)))
    problems.push('Nothing was sent');
  const startedAt = performance.now();
  const acceptedBefore = await countAccepted();
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1_000));
  const rate =
    (((await countAccepted()) - acceptedBefore) * 1_000) / (performance.now() - startedAt);
  await sender.close();
  const { counts } = await readDeliveryOf(scene.db, otherCampaign);
  if (counts.accepted === 0) problems.push('The other campaign made no progress');
  return { problems, facts: `${rate.toFixed(1)} a second` };
}
