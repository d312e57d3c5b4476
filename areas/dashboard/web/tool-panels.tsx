// The account's workflows, forms and stores, each in its own panel.
import { Anchor } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { calls as formCalls } from '#areas/forms/contract.ts';
import type { calls as storeCalls } from '#areas/stores/contract.ts';
import type { ownCalls as workflowCalls } from '#areas/workflows/contract.ts';
import { client } from '#platform/web/api/api.ts';
import { useAreas } from '#platform/web/shell/areas.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { PANEL_ROWS } from '../shared.ts';
import classes from './dashboard.module.css';
import { Panel } from './panel.tsx';

const workflowApi = client<Pick<typeof workflowCalls, 'listWorkflows'>>();
const formApi = client<Pick<typeof formCalls, 'listForms'>>();
const storeApi = client<Pick<typeof storeCalls, 'listStores'>>();

const LAST_MODIFIED = { limit: PANEL_ROWS, order: 'modified', direction: 'desc' } as const;

interface Row {
  id: string;
  title: string;
  path: string;
  isActive: boolean;
  /** Two labels and their values. */
  metrics: [string, number][];
}

/** Returns whether this user can open the pages of workflows and of forms. */
export function useTools() {
  const { navigation } = useAreas();
  const hasPage = (path: string) => navigation.some((entry) => entry.to === path);
  return { workflows: hasPage('/automation'), forms: hasPage('/forms') };
}

export function ToolPanels() {
  const tools = useTools();
  return (
    <>
      {tools.workflows && <Workflows />}
      {tools.forms && <Forms />}
      {tools.workflows && <ConnectedStores />}
    </>
  );
}

function Workflows() {
  const query = useQuery(
    workflowApi.query('GET /client-api/api/workflows', { query: LAST_MODIFIED }),
  );
  return (
    <Tools kind="workflows" list="/automation" create="/automation/create" query={query}>
      {({ data }) =>
        data.map(({ id, title, status, people }) => ({
          ...{ id, title, isActive: status === 'ACTIVE' },
          path: status === 'ACTIVE' ? `/automation/${id}/report` : `/automation/builder/${id}`,
          metrics: [
            ['inside', people.inside],
            ['ended', people.ended],
          ],
        }))
      }
    </Tools>
  );
}

function Forms() {
  const query = useQuery(formApi.query('GET /client-api/api/forms', { query: LAST_MODIFIED }));
  return (
    <Tools kind="forms" list="/forms" create="/forms/create" query={query}>
      {({ data }) =>
        data.map(({ id, title, is_active: isActive, views, sign_ups: signUps }) => ({
          ...{ id, title, isActive },
          path: `/forms/${id}/view`,
          metrics: [
            ['views', views],
            ['signUps', signUps],
          ],
        }))
      }
    </Tools>
  );
}

const STORES = '/settings/connected-stores';

function ConnectedStores() {
  const query = useQuery(storeApi.query('GET /client-api/api/connected-stores'));
  return (
    <Tools kind="stores" list={STORES} create={STORES} query={query}>
      {({ data }) =>
        data.slice(0, PANEL_ROWS).map(({ id, title, state, counts }) => ({
          ...{ id, title, path: `${STORES}/orders`, isActive: state === 'live' },
          metrics: [
            ['orders', counts.orders],
            ['products', counts.products],
          ],
        }))
      }
    </Tools>
  );
}

interface ToolsProps<Data> {
  kind: 'workflows' | 'forms' | 'stores';
  list: string;
  create: string;
  query: UseQueryResult<Data>;
  children: (data: Data) => Row[];
}

function Tools<Data>({ kind, list, create, query, children }: ToolsProps<Data>) {
  const t = useTexts('dashboard');
  const title = t(`tools.${kind}`);
  return (
    <Panel
      title={title}
      label={`${t('tools.title')}: ${title}`}
      query={query}
      trailing={
        <Anchor component={Link} to={list} fz="sm">
          {t('all')}
        </Anchor>
      }
    >
      {(data) => {
        const rows = children(data);
        return rows.length === 0 ? (
          <p className={classes.nothing}>
            {t(`tools.none.${kind}`)}{' '}
            <Anchor component={Link} to={create} underline="always">
              {t(`tools.add.${kind}`)}
            </Anchor>
          </p>
        ) : (
          <ul className={classes.campaigns}>
            {rows.map((row) => (
              <Tool key={row.id} row={row} />
            ))}
          </ul>
        );
      }}
    </Panel>
  );
}

function Tool({ row: { title, path, isActive, metrics } }: { row: Row }) {
  const t = useTexts('dashboard');
  const { compact, number } = useFormats();
  return (
    <li className={classes.campaign}>
      <span className={classes.campaignName}>
        <Link to={path} className={classes.campaignLink}>
          <bdi>{title}</bdi>
        </Link>
        <span>{t(isActive ? 'tools.state.active' : 'tools.state.inactive')}</span>
      </span>
      <dl className={classes.figures}>
        {metrics.map(([name, count]) => (
          <div key={name}>
            <dt>{t(`tools.${name}`)}</dt>
            <dd title={number(count)}>{compact(count)}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}
