// Forms of the product block and the coupon block.
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChoiceRow, LineRow } from '#platform/web/editing/fields.tsx';
import { isOwnPick, PICK_FALLBACKS, PICKS } from '../../../shop-names.ts';
import type { calls as storeCalls } from '#areas/stores/contract.ts';
import { client } from '#platform/web/api/api.ts';
import { api } from '../../queries.ts';
import { DocumentImageField } from '../picture-field.tsx';
import { ButtonRows } from './button-rows.tsx';
import { type BlockFormProps, Href } from './form-pieces.tsx';
import { ProductName } from './product-name.tsx';

const shops = client<typeof storeCalls>();

export function ProductForm({ block, change }: BlockFormProps<'product'>) {
  const t = useTexts('content');
  const line = (name: 'price' | 'old_price' | 'label', label: string) => (
    <LineRow
      label={label}
      value={block[name]}
      onChange={(value) => change({ [name]: value }, name)}
    />
  );
  return (
    <>
      <ChoiceRow
        label={t('fields.layout')}
        value={block.layout}
        onChange={(layout) => change({ layout })}
        data={(['stacked', 'beside'] as const).map((value) => ({
          value,
          label: t(`layouts.${value}`),
        }))}
      />
      <PickRows block={block} change={change} />
      {!block.pick && (
        <>
          <DocumentImageField
            image={block.image}
            onChange={(image, name) => change({ image }, name)}
          />
          <ProductName block={block} change={change} />
          {line('price', t('fields.price'))}
          {line('old_price', t('fields.oldPrice'))}
          <Href value={block.href} onChange={(href) => change({ href }, 'href')} />
        </>
      )}
      {line('label', t('fields.buttonLabel'))}
      <ButtonRows
        buttonStyle={block.button}
        hasWidth={false}
        onChange={(button, name) => change({ button }, name)}
      />
    </>
  );
}

/** Source of the product, and the fallback for recipients without a matching product. */
function PickRows({ block, change }: BlockFormProps<'product'>) {
  const t = useTexts('content');
  const { pick } = block;
  return (
    <>
      <ChoiceRow
        label={t('shop.pick')}
        value={pick ?? 'typed'}
        onChange={(next) => change({ pick: next === 'typed' ? undefined : next } as object)}
        data={(['typed', ...PICKS] as const).map((value) => ({
          value,
          label: t(`shop.picks.${value}`),
        }))}
      />
      {pick && (
        <Text size="xs" c="dimmed">
          {t(isOwnPick(pick) ? 'shop.ownHint' : 'shop.frozenHint')}
        </Text>
      )}
      {pick && !isOwnPick(pick) && <StoreRow block={block} change={change} />}
      {pick && isOwnPick(pick) && (
        <ChoiceRow
          label={t('shop.ifNone')}
          value={block.if_none ?? 'best_selling'}
          onChange={(next) => change({ if_none: next })}
          data={PICK_FALLBACKS.map((value) => ({ value, label: t(`shop.ifNones.${value}`) }))}
        />
      )}
    </>
  );
}

/** The store that the products come from; shown if there are several stores. */
function StoreRow({ block, change }: BlockFormProps<'product'>) {
  const t = useTexts('content');
  const stores = useQuery(shops.query('GET /client-api/api/stores-advanced-filter', { query: {} }))
    .data?.data.stores;
  const chosenStore = block.store ?? '';
  const options = [
    { value: '', label: t('shop.storeAny') },
    ...(stores ?? []).map(({ id, title }) => ({ value: id, label: title })),
  ];
  if (options.length < 3 && chosenStore === '') return null;
  if (options.every(({ value }) => value !== chosenStore))
    options.push({ value: chosenStore, label: '–' });
  return (
    <ChoiceRow
      label={t('shop.store')}
      value={chosenStore}
      onChange={(store) => change({ store })}
      data={options}
    />
  );
}

/** One code for all recipients, or one per recipient from a pool. */
function PoolRows({ block, change }: BlockFormProps<'coupon'>) {
  const t = useTexts('content');
  const { number } = useFormats();
  const pools = useQuery(api.query('GET /client-api/api/coupon_pools'));
  const chosenPool = block.pool ?? '';
  const allPools = pools.data?.data ?? [];
  const options = [
    { value: '', label: t('shop.poolNone') },
    ...allPools.map(({ id, title, left }) => ({
      value: id,
      label: t('shop.poolLeft', { title, left: number(left) }),
    })),
  ];
  // A deleted pool remains selected until the author chooses another.
  if (options.every(({ value }) => value !== chosenPool))
    options.push({ value: chosenPool, label: '–' });
  return (
    <>
      <ChoiceRow
        label={t('shop.pool')}
        value={chosenPool}
        onChange={(pool) => change({ pool })}
        data={options}
      />
      {chosenPool !== '' && (
        <Text size="xs" c="dimmed">
          {t('shop.poolHint')}
        </Text>
      )}
      <Anchor component={Link} to="/settings/coupons" size="xs">
        {t('shop.poolManage')}
      </Anchor>
    </>
  );
}

export function CouponForm({ block, change }: BlockFormProps<'coupon'>) {
  const t = useTexts('content');
  const line = (name: 'title' | 'code' | 'label', label: string) => (
    <LineRow
      label={label}
      value={block[name]}
      onChange={(value) => change({ [name]: value }, name)}
    />
  );
  return (
    <>
      {line('title', t('fields.couponTitle'))}
      <PoolRows block={block} change={change} />
      {line('code', t('fields.code'))}
      {line('label', t('fields.buttonLabel'))}
      <Href value={block.href} onChange={(href) => change({ href }, 'href')} />
      <ButtonRows
        buttonStyle={block.button}
        hasWidth={false}
        onChange={(button, name) => change({ button }, name)}
      />
    </>
  );
}
