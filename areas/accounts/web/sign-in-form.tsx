// Layout of the sign-in screens: title, error, fields and links to related screens.
import {
  Alert,
  Button,
  PasswordInput,
  type PasswordInputProps,
  Stack,
  Text,
  TextInput,
  type TextInputProps,
  Title,
} from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ComponentProps, ReactNode } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';

export interface SignInFormProps {
  title: string;
  intro?: ReactNode;
  /** The reason the last session ended, or the server's error. */
  warning?: ReactNode;
  submitLabel: string;
  isBusy: boolean;
  onSubmit: ComponentProps<'form'>['onSubmit'];
  children: ReactNode;
  /** An alternative way to sign in, below the button. */
  alternative?: ReactNode;
  /** Links to related screens, such as sign-up and password reset. */
  footer?: ReactNode;
}

export function SignInForm(props: SignInFormProps) {
  const { title, intro, warning, submitLabel, isBusy, onSubmit, children, footer, alternative } =
    props;
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <Title order={1} size="h2">
          {title}
        </Title>
        {intro && <Text c="dimmed">{intro}</Text>}
        {warning && (
          <Alert
            color="warning"
            variant="light"
            role="alert"
            icon={<IconAlertTriangle size={18} stroke={1.75} />}
          >
            {warning}
          </Alert>
        )}
        {children}
        <Button type="submit" loading={isBusy} size="md" fullWidth>
          {submitLabel}
        </Button>
        {alternative}
        {footer && (
          <Text size="sm" c="dimmed" component="div">
            {footer}
          </Text>
        )}
      </Stack>
    </form>
  );
}

/** A screen with a message and an optional action. */
export function SignInMessage(props: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <Stack gap="md">
      <Title order={1} size="h2">
        {props.title}
      </Title>
      <Text component="div" role="status">
        {props.children}
      </Text>
      {props.action}
    </Stack>
  );
}

/**
 * A password field with a labeled visibility toggle. It sets aria-invalid, which Mantine sets only
 * on its other inputs. Screen readers and the focus of the first error depend on it.
 */
export function PasswordField(props: PasswordInputProps) {
  const t = useTexts('accounts');
  return (
    <PasswordInput
      dir="ltr"
      visibilityToggleButtonProps={{ 'aria-label': t('fields.showPassword'), tabIndex: 0 }}
      aria-invalid={Boolean(props.error)}
      {...props}
    />
  );
}

/** A code of the second factor: six digits from the app, or a longer recovery code. */
export function CodeField(props: TextInputProps) {
  const t = useTexts('accounts');
  return (
    <TextInput
      dir="ltr"
      label={t('twoFactor.code')}
      description={t('twoFactor.codeText')}
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={100}
      {...props}
    />
  );
}
