/// <reference types="vite/client" />

interface ImportMetaEnv {
  /** The product's version. */
  readonly RELEASE: string;
}
