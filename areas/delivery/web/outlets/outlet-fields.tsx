// Fields of the limits and the order of use, for the forms of mail servers and SMS providers.
import {
  ActionIcon,
  Button,
  Checkbox,
  Input,
  NumberInput,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useId } from 'react';
import type { FormHandle } from '#platform/web/forms.ts';
import { MAX_PRIORITY, MAX_WEIGHT } from '../../relay-limits.ts';
import classes from './outlets.module.css';

/** The `getInputProps` of a form with any fields. */
type Inputs = FormHandle<Record<string, unknown>>['getInputProps'];

const UNITS = ['second', 'minute', 'hour', 'day'] as const;
type LimitUnit = (typeof UNITS)[number];

/** Fields for the limits per unit of time (`per_second` …). */
export function RateFields(props: {
  input: Inputs;
  label: (name: `per_${LimitUnit}`) => string;
  placeholder: string;
  max: Record<LimitUnit, number>;
}) {
  const { input, label, placeholder, max } = props;
  return UNITS.map((unit) => (
    <NumberInput
      key={unit}
      label={label(`per_${unit}`)}
      placeholder={placeholder}
      min={1}
      max={max[unit]}
      allowDecimal={false}
      {...input(`per_${unit}`)}
    />
  ));
}

/** Fields for the limits per minute of single domains or sending numbers. */
export function PartLimits(props: {
  /** The form field with the list of limits. */
  list: string;
  /** The field of each row that names the domain or the number. */
  keyField: string;
  count: number;
  input: Inputs;
  error: React.ReactNode;
  maxRows: number;
  max: number;
  texts: { part: string; example: string; perMinute: string; remove: string; add: string };
  add: () => void;
  remove: (row: number) => void;
}) {
  const { list, keyField, count, input, error, maxRows, max, texts } = props;
  return (
    <>
      {Array.from({ length: count }, (_, n) => (
        // The index is the key because rows have no id.
        <div key={n} className={classes.partLimit}>
          <TextInput
            label={texts.part}
            placeholder={texts.example}
            dir="ltr"
            {...input(`${list}.${n}.${keyField}`)}
          />
          <NumberInput
            label={texts.perMinute}
            min={1}
            max={max}
            allowDecimal={false}
            {...input(`${list}.${n}.per_minute`)}
          />
          <Tooltip label={texts.remove}>
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={texts.remove}
              onClick={() => props.remove(n)}
            >
              <IconTrash size={18} stroke={1.75} />
            </ActionIcon>
          </Tooltip>
        </div>
      ))}
      {error && <Input.Error>{error}</Input.Error>}
      {count < maxRows && (
        <div>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={16} stroke={1.75} />}
            onClick={props.add}
          >
            {texts.add}
          </Button>
        </div>
      )}
    </>
  );
}

/** Fields for whether an outlet is used, and for its priority and weight. */
export function OrderFields(props: {
  input: Inputs;
  texts: {
    title: string;
    text: string;
    priority: string;
    weight: string;
    enabled: string;
    enabledText: string;
  };
}) {
  const { input, texts } = props;
  return (
    <OutletSection title={texts.title} text={texts.text}>
      <Pair>
        <NumberInput
          label={texts.priority}
          min={1}
          max={MAX_PRIORITY}
          allowDecimal={false}
          {...input('priority')}
        />
        <NumberInput
          label={texts.weight}
          min={1}
          max={MAX_WEIGHT}
          allowDecimal={false}
          {...input('weight')}
        />
      </Pair>
      <Checkbox
        label={texts.enabled}
        description={texts.enabledText}
        {...input('enabled', { type: 'checkbox' })}
      />
    </OutletSection>
  );
}

export function OutletSection(props: { title: string; text?: string; children: React.ReactNode }) {
  const { title, text, children } = props;
  const id = useId();
  return (
    <section className={classes.section} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {text && <p>{text}</p>}
      {children}
    </section>
  );
}

/** Fields side by side on wide screens. */
export const Pair = ({ children }: { children: React.ReactNode }) => (
  <div className={classes.pair}>{children}</div>
);

export const OutletForm = (props: React.ComponentProps<'form'>) => (
  <form noValidate className={classes.form} {...props} />
);
