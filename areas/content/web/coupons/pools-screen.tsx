// The screen of coupon pools, with the number of unused codes in each. Pools and codes are added
// here.
import { Button } from '@mantine/core';
import { IconPlus, IconTicket } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import type { CouponPool } from '../../contract.ts';
import { api } from '../queries.ts';
import { POOLS } from './pools.ts';
import classes from './pools.module.css';

const PoolName = lazyWithRetry(() => import('./pool-name.tsx'));
const AddCodes = lazyWithRetry(() => import('./add-codes.tsx'));

type OpenDialog = { action: 'create' } | { action: 'rename' | 'add'; pool: CouponPool };

export default function PoolsScreen() {
  const t = useTexts('content');
  const [opened, setOpened] = useState<OpenDialog>();
  const pools = useQuery(api.query('GET /client-api/api/coupon_pools'));
  const close = () => setOpened(undefined);
  const action = (
    <Button
      leftSection={<IconPlus size={18} stroke={1.75} />}
      onClick={() => setOpened({ action: 'create' })}
    >
      {t('pools.create')}
    </Button>
  );
  return (
    <Page
      title={t('pools.title')}
      description={t('pools.description')}
      actions={action}
      width="reading"
    >
      {pools.isLoadingError ? (
        <FailedState error={pools.error} retry={() => void pools.refetch()} />
      ) : !pools.data ? (
        <LoadingState rows={3} />
      ) : pools.data.data.length === 0 ? (
        <EmptyState icon={IconTicket} title={t('pools.emptyTitle')} action={action}>
          {t('pools.emptyText')}
        </EmptyState>
      ) : (
        <ul className={classes.pools}>
          {pools.data.data.map((pool) => (
            <Pool key={pool.id} pool={pool} onOpen={(kind) => setOpened({ action: kind, pool })} />
          ))}
        </ul>
      )}
      <Suspense fallback={null}>
        {opened?.action === 'create' && <PoolName close={close} />}
        {opened?.action === 'rename' && <PoolName pool={opened.pool} close={close} />}
        {opened?.action === 'add' && <AddCodes pool={opened.pool} close={close} />}
      </Suspense>
    </Page>
  );
}

function Pool({ pool, onOpen }: { pool: CouponPool; onOpen: (action: 'rename' | 'add') => void }) {
  const t = useTexts('content');
  const { number } = useFormats();
  const { id, title, left, total } = pool;
  const remove = async () => {
    const isDone = await confirm({
      title: `${t('pools.delete')}: ${title}`,
      message: t('pools.deleteText'),
      confirm: t('pools.delete'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/coupon_pools/{id}', { params: { id } }),
    });
    if (isDone) await invalidate(POOLS);
  };
  return (
    <li className={classes.pool}>
      <div className={classes.words}>
        <h2 className={classes.title}>
          <bdi>{title}</bdi>
        </h2>
        <p className={classes.left}>
          {t('pools.left', { left: number(left), total: number(total) })}
        </p>
      </div>
      <div className={classes.acts}>
        <Button size="xs" variant="default" onClick={() => onOpen('add')}>
          {t('pools.add')}
        </Button>
        <Button size="xs" variant="default" onClick={() => onOpen('rename')}>
          {t('pools.rename')}
        </Button>
        <Button size="xs" variant="default" c="danger" onClick={() => void remove()}>
          {t('pools.delete')}
        </Button>
      </div>
    </li>
  );
}
