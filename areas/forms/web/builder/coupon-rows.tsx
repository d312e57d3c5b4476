// The coupon code for new subscribers (one code for all, or a code of a pool for each), and whether
// it is emailed.
import { Anchor, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { listCouponPoolsQuery } from '#areas/content/web/index.ts';
import { LineRow, SwitchRow } from '#platform/web/editing/fields.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import type { FormCoupon } from '../../coupon.ts';
import { useBuilder, useDraft } from './store.ts';

const SOURCES = ['fixed', 'pool'] as const;

export function CouponRows() {
  const t = useTexts('forms-builder');
  const { type, editSettings } = useBuilder();
  const { coupon, double_opt_in } = useDraft().settings;
  const editCoupon = (change: Partial<FormCoupon>, name?: string) =>
    editSettings({ coupon: { ...coupon, ...change } }, name && `coupon ${name}`);
  if (type === 'spinToWin')
    return (
      <Text size="xs" c="dimmed">
        {t('coupon.wheel')}
      </Text>
    );
  return (
    <>
      <LineRow
        label={t('coupon.prize')}
        description={t('coupon.prizeHint', { example: t('coupon.example') })}
        value={coupon.prize}
        onChange={(prize) => editCoupon({ prize: prize.slice(0, 60) }, 'prize')}
      />
      <Select
        size="xs"
        label={t('coupon.source')}
        allowDeselect={false}
        value={coupon.source}
        data={SOURCES.map((value) => ({ value, label: t(`coupon.sources.${value}`) }))}
        onChange={(next) => editCoupon({ source: next === 'pool' ? 'pool' : 'fixed' })}
      />
      {coupon.source === 'fixed' ? (
        <LineRow
          label={t('coupon.code')}
          description={t('coupon.codeHint')}
          value={coupon.code}
          onChange={(code) => editCoupon({ code: code.trim().slice(0, 100) }, 'code')}
        />
      ) : (
        <PoolChoice value={coupon.pool_id} onChange={(pool_id) => editCoupon({ pool_id })} />
      )}
      <EmailSwitch label={t('coupon.email')} />
      <Text size="xs" c="dimmed">
        {t(double_opt_in ? 'coupon.afterConfirm' : 'coupon.emailHint')}
      </Text>
    </>
  );
}

/** The switch for emailing the code or the wheel's prize. */
export function EmailSwitch({ label }: { label: string }) {
  const { editSettings } = useBuilder();
  const { email_code } = useDraft().settings;
  return (
    <SwitchRow
      label={label}
      value={email_code}
      onChange={(next) => editSettings({ email_code: next })}
    />
  );
}

function PoolChoice({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const t = useTexts('forms-builder');
  const { number } = useFormats();
  const pools = useQuery(listCouponPoolsQuery()).data?.data;
  const data = (pools ?? []).map(({ id, title, left }) => ({
    value: id as string,
    label: t('coupon.poolOf', { title, left: number(left) }),
  }));
  return (
    <>
      {pools?.length === 0 ? (
        <Text size="xs" c="dimmed">
          {t('coupon.noPools')}
        </Text>
      ) : (
        <Select
          size="xs"
          label={t('coupon.pool')}
          allowDeselect={false}
          value={value || null}
          data={data}
          onChange={(id) => onChange(id ?? '')}
        />
      )}
      <Anchor component={Link} to="/settings/coupons" size="xs">
        {t('coupon.manage')}
      </Anchor>
    </>
  );
}
