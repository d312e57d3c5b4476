// Groups, their growth and open rate in the period.
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { computeEngagement } from '#areas/tracking/shared.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { GroupRows } from '../contract.ts';
import classes from './dashboard.module.css';
import { Panel } from './panel.tsx';
import { useGroupRows } from './queries.ts';
import type { DayRange } from './range.ts';

/** Renders nothing in an account without groups. */
export default function GroupsPanel({ days }: { days: DayRange }) {
  const t = useTexts('dashboard');
  const query = useGroupRows(days);
  if (query.data?.data.groups.length === 0) return null;
  const all = (
    <Anchor component={Link} to="/subscribers/tags" fz="sm">
      {t('all')}
    </Anchor>
  );
  return (
    <div className={classes.period}>
      <Panel title={t('groups.title')} query={query} trailing={all}>
        {({ data }) => <Groups rows={data} />}
      </Panel>
    </div>
  );
}

function Groups({ rows }: { rows: GroupRows }) {
  const t = useTexts('dashboard');
  const { number, percent } = useFormats();
  return (
    <>
      <div className={classes.wide}>
        <table className={classes.groups}>
          <thead>
            <tr>
              <th scope="col">{t('groups.group')}</th>
              <th scope="col">{t('groups.members')}</th>
              <th scope="col">{t('groups.joined')}</th>
              <th scope="col">{t('period.opens')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.groups.map((group) => (
              <tr key={group.id}>
                <th scope="row">
                  <bdi>{group.title}</bdi>
                </th>
                <td>{number(group.members)}</td>
                <td>{group.joined === 0 ? '–' : t('groups.more', { count: group.joined })}</td>
                <td
                  title={t('period.of', {
                    count: number(group.human_opens),
                    delivered: number(group.delivered),
                  })}
                >
                  {group.delivered === 0 ? '–' : percent(computeEngagement(group).opens.share)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.is_counting && (
        <p className={classes.nothing} role="status">
          {t('groups.counting')}
        </p>
      )}
    </>
  );
}
