// The brand of the account: colours, fonts and logo that templates and new mails begin with. The mail
// at hand can give its own to the brand, or take the brand's.
import { ActionIcon, Button, ColorInput, Group, Text, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useTexts } from '#platform/web/texts.ts';
import { useAct } from '#platform/web/queries.ts';
import { toast } from '#platform/web/notices.tsx';
import { LoadingState } from '#platform/web/ui/states.tsx';
import type { Brand } from '../../contract.ts';
import type { Colour } from '../../document.ts';
import { NO_PICTURE } from '../../document-factory.ts';
import { BRAND_COLOURS } from '../../limits.ts';
import { Part } from '../inspector/field-parts.tsx';
import classes from '../inspector/inspector.module.css';
import { PictureField } from '../inspector/picture-field.tsx';
import { api } from '../queries.ts';
import { useEditor, useEditorState } from '../store.ts';
import { brandFrom, settingsFrom, type WithColours } from './brand-settings.ts';
import { useBrand } from './use-brand.ts';

const BRAND = '/client-api/api/brand';
const FRESH: Colour = '#3b4fe4';

export function BrandForm() {
  const t = useTexts('content');
  const brand = useBrand();
  const { editSettings } = useEditor();
  const settings = useEditorState((state) => state.document.settings);
  // All colours are saved at once: the earlier of two lists must not arrive last.
  const inTurn = { touches: [BRAND], scope: { id: BRAND } };
  const saveLogo = useAct(
    (logo: Brand['logo']) => api('PATCH /client-api/api/brand', { body: { logo } }),
    inTurn,
  );
  const save = useAct(
    (part: WithColours) => api('PATCH /client-api/api/brand', { body: part }),
    inTurn,
  );
  if (!brand) return <LoadingState rows={4} />;
  // Those that are being saved: the next change is one of them.
  const { colors } = save.isPending ? save.variables : brand;
  const keep = async () => {
    await save.mutateAsync(brandFrom(settings, colors));
    toast(t('brand.kept'));
  };
  return (
    <>
      <Part title={t('brand.logo')}>
        <PictureField
          picture={brand.logo ?? NO_PICTURE}
          onChange={(logo) => saveLogo.mutate(logo.src === '' ? null : logo)}
        />
      </Part>
      <Part title={t('brand.colours')}>
        {colors.map((colour, index) => (
          <Group key={`${colour}${index}`} gap={4} wrap="nowrap">
            <ColorInput
              size="xs"
              flex={1}
              dir="ltr"
              format="hex"
              aria-label={t('brand.colour', { count: index + 1 })}
              defaultValue={colour}
              withEyeDropper={false}
              onChangeEnd={(next) => {
                if (/^#[0-9a-f]{6}$/i.test(next))
                  save.mutate({ colors: colors.with(index, next as Colour) });
              }}
            />
            <Tooltip label={t('tools.delete')}>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`${t('tools.delete')}: ${colour}`}
                onClick={() => save.mutate({ colors: colors.toSpliced(index, 1) })}
              >
                <IconTrash size={16} stroke={1.75} />
              </ActionIcon>
            </Tooltip>
          </Group>
        ))}
        <Button
          size="xs"
          variant="default"
          disabled={colors.length >= BRAND_COLOURS}
          onClick={() => save.mutate({ colors: [...colors, FRESH] })}
        >
          {t('brand.addColour')}
        </Button>
      </Part>
      <Part title={t('brand.thisMail')}>
        <Text size="sm" c="dimmed">
          {t('brand.hint')}
        </Text>
        <div className={classes.item}>
          <Button
            size="xs"
            variant="default"
            onClick={() => editSettings(settingsFrom(brand, settings))}
          >
            {t('brand.take')}
          </Button>
          <Button size="xs" variant="default" loading={save.isPending} onClick={() => void keep()}>
            {t('brand.keep')}
          </Button>
        </div>
      </Part>
    </>
  );
}
