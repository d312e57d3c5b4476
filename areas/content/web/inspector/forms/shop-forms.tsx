// Products and coupons.
import { useTexts } from '#platform/web/texts.ts';
import { ChoiceRow, LineRow } from '#platform/web/editing/fields.tsx';
import { PictureField } from '../picture-field.tsx';
import { ButtonRows } from './button-rows.tsx';
import { type FormProps, Href } from './form-pieces.tsx';
import { ProductName } from './product-name.tsx';

export function ProductForm({ block, change }: FormProps<'product'>) {
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
      <PictureField picture={block.image} onChange={(image, name) => change({ image }, name)} />
      <ProductName block={block} change={change} />
      {line('price', t('fields.price'))}
      {line('old_price', t('fields.oldPrice'))}
      <Href value={block.href} onChange={(href) => change({ href }, 'href')} />
      {line('label', t('fields.buttonLabel'))}
      <ButtonRows
        look={block.button}
        hasWidth={false}
        onChange={(button, name) => change({ button }, name)}
      />
    </>
  );
}

export function CouponForm({ block, change }: FormProps<'coupon'>) {
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
      {line('code', t('fields.code'))}
      {line('label', t('fields.buttonLabel'))}
      <Href value={block.href} onChange={(href) => change({ href }, 'href')} />
      <ButtonRows
        look={block.button}
        hasWidth={false}
        onChange={(button, name) => change({ button }, name)}
      />
    </>
  );
}
