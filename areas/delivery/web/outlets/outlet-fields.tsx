// Fields that mail servers and SMS providers share: limits, and order of use.
import {
  ActionIcon,
  Button,
  Checkbox,
  Input,
  NumberInput,
  TextInput,
  Tooltip,
} from '@mantine/core';
import '@mantine/core/styles/NumberInput.layer.css';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useId } from 'react';
import type { Form } from '#platform/web/forms.ts';
import { PRIORITY_MOST, WEIGHT_MOST } from '../../relay-limits.ts';
import classes from './outlets.module.css';

/** A form's `getInputProps`, by the names of its fields. */
type Inputs = Form<Record<string, unknown>>['getInputProps'];

const UNITS = ['second', 'minute', 'hour', 'day'] as const;
type Unit = (typeof UNITS)[number];

/** Limits per unit of time (`per_second` …). */
export function RateFields(props: {
  input: Inputs;
  label: (name: `per_${Unit}`) => string;
  placeholder: string;
  most: Record<Unit, number>;
}) {
  const { input, label, placeholder, most } = props;
  return UNITS.map((unit) => (
    <NumberInput
      key={unit}
      label={label(`per_${unit}`)}
      placeholder={placeholder}
      min={1}
      max={most[unit]}
      allowDecimal={false}
      {...input(`per_${unit}`)}
    />
  ));
}

/** Limits per minute of a part: a domain, a number. */
export function PartLimits(props: {
  /** The form's list, and the field of its rows with the part's name. */
  list: string;
  part: string;
  count: number;
  input: Inputs;
  error: React.ReactNode;
  mostRows: number;
  most: number;
  words: { part: string; example: string; perMinute: string; remove: string; add: string };
  add: () => void;
  remove: (row: number) => void;
}) {
  const { list, part, count, input, error, mostRows, most, words } = props;
  return (
    <>
      {Array.from({ length: count }, (_, n) => (
        // Rows have no id of their own: the index is the key.
        <div key={n} className={classes.partLimit}>
          <TextInput
            label={words.part}
            placeholder={words.example}
            dir="ltr"
            {...input(`${list}.${n}.${part}`)}
          />
          <NumberInput
            label={words.perMinute}
            min={1}
            max={most}
            allowDecimal={false}
            {...input(`${list}.${n}.per_minute`)}
          />
          <Tooltip label={words.remove}>
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={words.remove}
              onClick={() => props.remove(n)}
            >
              <IconTrash size={18} stroke={1.75} />
            </ActionIcon>
          </Tooltip>
        </div>
      ))}
      {error && <Input.Error>{error}</Input.Error>}
      {count < mostRows && (
        <div>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={16} stroke={1.75} />}
            onClick={props.add}
          >
            {words.add}
          </Button>
        </div>
      )}
    </>
  );
}

/** Whether it is used, and its priority. */
export function OrderFields(props: {
  input: Inputs;
  words: {
    title: string;
    text: string;
    priority: string;
    weight: string;
    enabled: string;
    enabledText: string;
  };
}) {
  const { input, words } = props;
  return (
    <OutletSection title={words.title} text={words.text}>
      <Pair>
        <NumberInput
          label={words.priority}
          min={1}
          max={PRIORITY_MOST}
          allowDecimal={false}
          {...input('priority')}
        />
        <NumberInput
          label={words.weight}
          min={1}
          max={WEIGHT_MOST}
          allowDecimal={false}
          {...input('weight')}
        />
      </Pair>
      <Checkbox
        label={words.enabled}
        description={words.enabledText}
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
