// The placement of a campaign's copies in the account's seed mailboxes, and its spam rate at Gmail.
import { useQuery } from '@tanstack/react-query';
import { client } from '#platform/web/api/api.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { CampaignPlacement, placementCalls } from '../../placement-contract.ts';
import { MAILBOX_TITLES } from '../../shared.ts';
import classes from '../deliverability.module.css';

const LIST_PATH = '/client-api/api/campaigns';
const api = client<ReturnType<typeof placementCalls<typeof LIST_PATH>>>();

const TONES = {
  inbox: 'success',
  category: 'active',
  spam: 'danger',
  missing: 'danger',
  unknown: 'neutral',
  waiting: 'neutral',
} as const;
const PLACES = Object.keys(TONES) as (keyof typeof TONES)[];

/** Shows nothing for a campaign without placements and without a spam rate. */
export default function CampaignPlacements({ id }: { id: string }) {
  const t = useTexts('signals');
  const { percent, date } = useFormats();
  const placementsQuery = useQuery({
    ...api.query('GET /client-api/api/campaigns/{id}/placement', { params: { id } }),
    // If there is no placement to show, the rest of the report is still shown.
    meta: { notFound: 'inline' },
  });
  const { placements, gmail } = placementsQuery.data?.data ?? { placements: [], gmail: null };
  if (placements.length === 0 && !gmail) return null;
  return (
    <section className={classes.section} aria-labelledby="placements">
      <h2 id="placements">{t('placements.campaign')}</h2>
      {placements.length > 0 && <p>{t('placements.hint')}</p>}
      <ul className={classes.rows}>
        {placements.map((placement) => (
          <Provider key={placement.mailbox} placement={placement} />
        ))}
      </ul>
      {gmail && (
        <p>
          {t('placements.gmail', {
            share: percent(gmail.spam_rate),
            day: date(`${gmail.day}T12:00:00Z`),
          })}
        </p>
      )}
    </section>
  );
}

function Provider({ placement }: { placement: CampaignPlacement }) {
  const t = useTexts('signals');
  const { number } = useFormats();
  const { mailbox } = placement;
  return (
    <li className={classes.row}>
      <span className={classes.name}>
        {mailbox === 'other' ? t('placements.other') : MAILBOX_TITLES[mailbox]}
      </span>
      <span className={classes.name}>
        {PLACES.filter((place) => placement[place] > 0).map((place) => (
          <StatusDot
            key={place}
            tone={TONES[place]}
            label={t(`placements.counts.${place}`, { amount: number(placement[place]) })}
          />
        ))}
      </span>
    </li>
  );
}
