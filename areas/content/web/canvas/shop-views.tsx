// Products and coupons in the canvas.
import { IconBuildingStore } from '@tabler/icons-react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { ImageSlot } from '../images/image-slot.tsx';
import classes from './blocks.module.css';
import {
  borderStyle,
  buttonStyle,
  justify,
  resolveTypography,
  textStyle,
} from './canvas-styles.ts';
import { resolveAlign, type BlockViewProps, InlineButton, useHtmlChange } from './view-pieces.tsx';
import { EditableText } from './rich-text-view.tsx';

export function ProductView(props: BlockViewProps<'product'>) {
  const { block, settings } = props;
  const image = block.pick ? (
    <PickedImage />
  ) : (
    <ImageSlot id={block.id} image={block.image} style={{ width: '100%' }} />
  );
  if (block.layout === 'beside') {
    return (
      <div className={classes.beside}>
        <div>{image}</div>
        <div>
          <ProductText {...props} />
          <InlineButton props={props} />
        </div>
      </div>
    );
  }
  return (
    <>
      {image}
      <div style={{ paddingBlockStart: 12 }}>
        <ProductText {...props} />
      </div>
      {block.label.trim() !== '' && (
        <div
          className={classes.row}
          style={{ justifyContent: justify[block.style.align ?? 'start'], paddingBlockStart: 12 }}
        >
          <span style={buttonStyle(block.button, block, settings)}>{block.label}</span>
        </div>
      )}
    </>
  );
}

/** Placeholder for the image of a product that is chosen from the store. */
function PickedImage() {
  return (
    <div className={classes.picked} aria-hidden="true">
      <IconBuildingStore size={40} stroke={1.25} />
    </div>
  );
}

function ProductText(props: BlockViewProps<'product'>) {
  const { block, settings, color } = props;
  const t = useTexts('content');
  const change = useHtmlChange(block);
  const typography = resolveTypography(block, settings);
  const align = block.layout === 'beside' ? 'start' : (block.style.align ?? 'start');
  return (
    <div style={{ color: color, textAlign: align }}>
      {(block.pick || block.name) && (
        <div
          style={textStyle({
            ...typography,
            font: settings.heading.font,
            size: typography.size + 2,
            weight: 700,
            line_height: 1.3,
          })}
        >
          {block.pick ? t(`shop.picks.${block.pick}`) : block.name}
        </div>
      )}
      {block.pick && (
        <div style={{ ...textStyle(typography), paddingBlockStart: 4 }}>
          {t('shop.shownPicked')}
        </div>
      )}
      {!block.pick && (block.price || block.old_price) && (
        <div style={{ ...textStyle({ ...typography, weight: 700 }), paddingBlockStart: 4 }}>
          {block.price} {block.old_price && <s style={{ opacity: 0.65 }}>{block.old_price}</s>}
        </div>
      )}
      <EditableText
        id={block.id}
        html={block.html}
        empty={t('canvas.describe')}
        style={{ ...textStyle({ ...typography, size: typography.size - 1 }), paddingBlockStart: 6 }}
        onChange={change}
      />
    </div>
  );
}

export function CouponView(props: BlockViewProps<'coupon'>) {
  const { block, settings, color } = props;
  const t = useTexts('content');
  const change = useHtmlChange(block);
  const typography = { ...resolveTypography(block, settings), line_height: 1.4 };
  return (
    <div
      style={{
        padding: 24,
        border: borderStyle(block.style.border),
        borderRadius: block.style.radius,
        color: color,
        textAlign: resolveAlign(props),
      }}
    >
      {block.title && (
        <div style={textStyle({ ...typography, size: typography.size + 2, weight: 700 })}>
          {block.title}
        </div>
      )}
      <div
        dir="ltr"
        style={{
          ...textStyle({
            ...typography,
            font: 'Courier New',
            size: Math.round(typography.size * 1.5),
            weight: 700,
          }),
          paddingBlock: 12,
          letterSpacing: 3,
        }}
      >
        {block.pool ? t('shop.poolSample') : block.code}
      </div>
      <EditableText
        id={block.id}
        html={block.html}
        empty={t('canvas.terms')}
        style={textStyle({ ...typography, size: typography.size - 2, weight: 400 })}
        onChange={change}
      />
      <InlineButton props={props} />
    </div>
  );
}
