// Whether the browser is online. Going offline clears the notices and suppresses errors.
import { useSyncExternalStore } from 'react';

export function isOnline(): boolean {
  return navigator.onLine;
}

export function onConnection(listener: (online: boolean) => void): () => void {
  const tell = () => listener(navigator.onLine);
  window.addEventListener('online', tell);
  window.addEventListener('offline', tell);
  return () => {
    window.removeEventListener('online', tell);
    window.removeEventListener('offline', tell);
  };
}

export function useOnline(): boolean {
  return useSyncExternalStore((changed) => onConnection(changed), isOnline);
}
