// Forms of images and headers: their pictures, links and widths.
import { useTexts } from '#platform/web/texts/texts.ts';
import { useBrand } from '../../brand/use-brand.ts';
import { NumberRow } from '#platform/web/editing/fields.tsx';
import { DocumentImageField } from '../picture-field.tsx';
import { type BlockFormProps, Href, WidthRow } from './form-pieces.tsx';

export function ImageForm({ block, change }: BlockFormProps<'image'>) {
  return (
    <>
      <DocumentImageField image={block.image} onChange={(image, name) => change({ image }, name)} />
      <Href value={block.href} onChange={(href) => change({ href }, 'href')} />
      <WidthRow value={block.width} onChange={(width) => change({ width }, 'width')} />
    </>
  );
}

export function HeaderForm({ block, change }: BlockFormProps<'header'>) {
  const t = useTexts('content');
  const brand = useBrand();
  return (
    <>
      <DocumentImageField
        image={block.image}
        defaultSrc={brand?.logo?.src}
        onChange={(image, name) => change({ image }, name)}
      />
      <Href value={block.href} onChange={(href) => change({ href }, 'href')} />
      <NumberRow
        label={t('style.width')}
        value={block.width}
        min={16}
        max={800}
        onChange={(width) => change({ width: width ?? 160 }, 'width')}
      />
    </>
  );
}
