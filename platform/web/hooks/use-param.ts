// A path parameter inside a screen: `const id = useParam('campaign')`.
import { useParams } from '@tanstack/react-router';

export function useParam(name: string): string {
  const params = useParams({ strict: false }) as Record<string, string | undefined>;
  const value = params[name];
  if (value === undefined) throw new Error(`The path has no ${name}`);
  return value;
}
