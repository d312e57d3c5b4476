// The value of a UTM parameter, with insertion of tokens at the caret.
import { ActionIcon, Group, TextInput, type TextInputProps } from '@mantine/core';
import { IconBraces } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { ChoiceMenu } from '#platform/web/ui/choice-menu.tsx';
import { MAX_UTM, UTM_TOKENS, type UtmToken } from '../../../content/utm.ts';

/** Result of a form's `getInputProps`. */
interface Bound {
  value?: string;
  onChange?: (value: string) => void;
}

export function UtmField({ inputProps, ...rest }: TextInputProps & { inputProps: object }) {
  const t = useTexts('broadcasts');
  const { value = '', onChange } = inputProps as Bound;
  const input = useRef<HTMLInputElement>(null);
  const insert = (token: UtmToken) => {
    const { selectionStart, selectionEnd } = input.current ?? {};
    const start = selectionStart ?? value.length;
    const textBefore = `${value.slice(0, start)}{${token}}`;
    const newValue = textBefore + value.slice(selectionEnd ?? start);
    if (newValue.length > MAX_UTM) return;
    onChange?.(newValue);
    // Moves the caret to the end of the token.
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(textBefore.length, textBefore.length);
    });
  };
  return (
    <TextInput
      dir="ltr"
      maxLength={MAX_UTM}
      spellCheck={false}
      {...rest}
      {...inputProps}
      ref={input}
      inputContainer={(line) => (
        <Group gap={4} wrap="nowrap">
          <div style={{ flex: 1, minWidth: 0 }}>{line}</div>
          <ChoiceMenu
            label={t('utm.token')}
            position="bottom-end"
            withinPortal
            target={
              <ActionIcon
                variant="subtle"
                color="gray"
                size={32}
                aria-label={t('utm.token')}
                title={t('utm.token')}
              >
                <IconBraces size={18} stroke={1.75} />
              </ActionIcon>
            }
            groups={[
              {
                choices: UTM_TOKENS.map((token) => ({
                  key: token,
                  label: t(`utm.tokens.${token}`),
                  choose: () => insert(token),
                })),
              },
            ]}
          />
        </Group>
      )}
    />
  );
}
