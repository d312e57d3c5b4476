// Button style of button blocks, products and coupons.
import { useTexts } from '#platform/web/texts/texts.ts';
import type { ButtonStyle } from '../../../document.ts';
import { useEditorState } from '../../store.ts';
import { BorderRows, ColorRow } from '#platform/web/editing/box-fields.tsx';
import { NumberRow, SwitchRow } from '#platform/web/editing/fields.tsx';
import { mergeDefined } from './form-pieces.tsx';

interface ButtonRowsProps {
  buttonStyle: ButtonStyle;
  onChange: (buttonStyle: ButtonStyle, name: string) => void;
  hasWidth?: boolean;
}

export function ButtonRows({ buttonStyle, onChange, hasWidth = true }: ButtonRowsProps) {
  const t = useTexts('content');
  const { button, dark } = useEditorState((state) => state.document.settings);
  const editButtonStyle = (part: { [Key in keyof ButtonStyle]?: ButtonStyle[Key] | undefined }) => {
    onChange(mergeDefined(buttonStyle, part), `button-${Object.keys(part).join()}`);
  };
  return (
    <>
      <ColorRow
        label={t('button.background')}
        value={buttonStyle.background}
        defaultValue={button.background}
        onChange={(background) => editButtonStyle({ background })}
      />
      <ColorRow
        label={t('button.color')}
        value={buttonStyle.color}
        defaultValue={button.color}
        onChange={(color) => editButtonStyle({ color })}
      />
      <ColorRow
        label={t('button.darkBackground')}
        value={buttonStyle.dark_background}
        defaultValue={dark?.button_background}
        onChange={(dark_background) => editButtonStyle({ dark_background })}
      />
      <ColorRow
        label={t('button.darkColor')}
        value={buttonStyle.dark_color}
        defaultValue={dark?.button_text}
        onChange={(dark_color) => editButtonStyle({ dark_color })}
      />
      <NumberRow
        label={t('style.radius')}
        value={buttonStyle.radius}
        defaultValue={button.radius}
        onChange={(radius) => editButtonStyle({ radius })}
      />
      <BorderRows
        label={t('style.border')}
        value={buttonStyle.border}
        onChange={(border) => editButtonStyle({ border })}
      />
      {hasWidth && (
        <SwitchRow
          label={t('button.wide')}
          value={buttonStyle.is_wide ?? false}
          onChange={(is_wide) => editButtonStyle({ is_wide })}
        />
      )}
    </>
  );
}
