// Fields for the compared properties, and the variants' own values.
import {
  Anchor,
  Button,
  Checkbox,
  CloseButton,
  Group,
  NumberInput,
  Paper,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { FormHandle } from '#platform/web/forms.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { MAX_DELAY_MINUTES, MAX_VARIANTS, MIN_VARIANTS } from '../../shared.ts';
import { getVariantLetter } from './experiment-api.ts';
import {
  findIdenticalVariants,
  combineFields,
  createEmptyVariant,
  type ExperimentValues,
  type ComparedField,
  FIELDS_OF,
  type TextField,
  type VariantValues,
} from './experiment-values.ts';
import type { SetupProps } from './experiment-setup.tsx';

type Props = Pick<SetupProps, 'control' | 'getDesignPath'> & {
  channel: 'email' | 'sms';
  form: FormHandle<ExperimentValues>;
};

export function VariantsFields({ channel, form, control, getDesignPath }: Props) {
  const t = useTexts('experiments');
  const values = form.getValues();
  const { variants, fields } = values;
  const setVariants = (next: VariantValues[]) => form.setFieldValue('variants', next);
  return (
    <Stack gap="md">
      <Checkbox.Group label={t('fields.label')} {...form.getInputProps('fields')}>
        <Group gap="md" mt="xs">
          {FIELDS_OF[channel].map((field) => (
            <Checkbox key={field} value={field} label={t(`fields.${field}`)} />
          ))}
        </Group>
      </Checkbox.Group>
      <Text component="h2" fw={600}>
        {t('variant.title')}
      </Text>
      <VariantCard letter="A">
        <Text size="sm" c="dimmed">
          {t('variant.control')}
        </Text>
        {fields.map((field) => (
          <ControlValue key={field} field={field} control={control} />
        ))}
      </VariantCard>
      {variants.slice(1).map((variant, index) => (
        <VariantCard
          key={variant.id ?? `new${index}`}
          letter={getVariantLetter(index + 2)}
          {...(variants.length > MIN_VARIANTS && {
            remove: () => setVariants(variants.toSpliced(index + 1, 1)),
          })}
        >
          {fields.map((field) => (
            <VariantField
              key={field}
              field={field}
              letter={getVariantLetter(index + 2)}
              variant={variant}
              control={control}
              getDesignPath={getDesignPath}
              isSaved={!form.isDirty()}
              onChange={(changes) =>
                setVariants(variants.with(index + 1, { ...variant, ...changes }))
              }
            />
          ))}
        </VariantCard>
      ))}
      <EqualVariants values={values} />
      <VariantButtons values={values} put={setVariants} />
    </Stack>
  );
}

interface VariantButtonsProps {
  values: ExperimentValues;
  put: (variants: VariantValues[]) => void;
}

/** Adds a variant, or all combinations of the values. */
function VariantButtons({ values, put: setVariants }: VariantButtonsProps) {
  const t = useTexts('experiments');
  const { variants } = values;
  const combinations = combineFields(values);
  return (
    <Group>
      <Button
        variant="default"
        leftSection={<IconPlus size={16} stroke={1.75} />}
        disabled={variants.length >= MAX_VARIANTS}
        onClick={() => setVariants([...variants, createEmptyVariant()])}
      >
        {t('variant.add')}
      </Button>
      <Button
        variant="default"
        title={t('variant.combineHint')}
        disabled={!combinations}
        onClick={() => combinations && setVariants(combinations)}
      >
        {t('variant.combine')}
      </Button>
    </Group>
  );
}

/**
 * Warns about identical variants: the draft can be saved because designs and texts may be added
 * later, but it cannot be sent.
 */
function EqualVariants({ values }: { values: ExperimentValues }) {
  const t = useTexts('experiments');
  const { list } = useFormats();
  return findIdenticalVariants(values).map((numbers) => (
    <Text key={numbers.join()} size="sm" c="warning" role="status">
      {t('variant.alike', { letters: list(numbers.map(getVariantLetter)) })}
    </Text>
  ));
}

function VariantCard(props: { letter: string; remove?: () => void; children: React.ReactNode }) {
  const { letter, remove, children } = props;
  const t = useTexts('experiments');
  return (
    <Paper withBorder p="sm" role="group" aria-label={t('variant.one', { letter })}>
      <Group justify="space-between" mb="xs">
        <Text component="h3" fw={600} size="sm" m={0}>
          {t('variant.one', { letter })}
        </Text>
        {remove && <CloseButton aria-label={t('variant.remove', { letter })} onClick={remove} />}
      </Group>
      <Stack gap="sm">{children}</Stack>
    </Paper>
  );
}

function ControlValue({ field, control }: { field: ComparedField } & Pick<Props, 'control'>) {
  const t = useTexts('experiments');
  const value = control[field as TextField];
  if (!value) return null;
  return (
    <Text size="sm">
      {t(`fields.${field}`)}: <bdi>{value}</bdi>
    </Text>
  );
}

/** Maximum lengths of the fields of an email or an SMS. */
const MAX_LENGTHS: Record<TextField, number> = {
  subject: 255,
  preheader: 255,
  from_name: 100,
  text: 2000,
};

interface FieldProps extends Pick<Props, 'control' | 'getDesignPath'> {
  field: ComparedField;
  letter: string;
  variant: VariantValues;
  isSaved: boolean;
  onChange: (changes: Partial<VariantValues>) => void;
}

function VariantField(props: FieldProps) {
  const { field, variant, control, onChange } = props;
  const t = useTexts('experiments');
  if (field === 'content') return <DesignField {...props} />;
  if (field === 'delay') {
    return (
      <NumberInput
        label={t('variant.delay')}
        min={0}
        max={MAX_DELAY_MINUTES}
        allowDecimal={false}
        value={variant.delay ?? 0}
        onChange={(value) => onChange({ delay: typeof value === 'number' ? value : null })}
      />
    );
  }
  const inputProps = {
    label: t(`fields.${field}`),
    placeholder: control[field] || t('variant.same'),
    maxLength: MAX_LENGTHS[field],
    dir: 'auto',
    value: variant[field],
  };
  if (field === 'text') {
    return (
      <Textarea
        {...inputProps}
        autosize
        minRows={2}
        maxRows={8}
        onChange={(event) => onChange({ text: event.currentTarget.value })}
      />
    );
  }
  return (
    <TextInput
      {...inputProps}
      onChange={(event) => onChange({ [field]: event.currentTarget.value })}
    />
  );
}

/** The design is edited on its own screen, once the variant is saved. */
function DesignField({ letter, variant, getDesignPath, isSaved, onChange }: FieldProps) {
  const t = useTexts('experiments');
  return (
    <Group justify="space-between" align="flex-start">
      <Switch
        label={t('variant.ownDesign')}
        description={t('variant.ownDesignHint')}
        checked={variant.hasOwnContent}
        onChange={(event) => onChange({ hasOwnContent: event.currentTarget.checked })}
      />
      {variant.hasOwnContent && variant.id !== null && isSaved && getDesignPath && (
        <Anchor component={Link} to={getDesignPath(variant.id)} size="sm">
          {t('variant.editDesign', { letter })}
        </Anchor>
      )}
    </Group>
  );
}
