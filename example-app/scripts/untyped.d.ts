// Types for the used parts of packages without types.

declare module 'gifenc' {
  type Palette = number[][];
  interface Encoder {
    writeFrame: (
      index: Uint8Array,
      width: number,
      height: number,
      options: {
        palette?: Palette;
        delay: number;
        transparent?: boolean;
        transparentIndex?: number;
        dispose?: number;
      },
    ) => void;
    finish: () => void;
    bytes: () => Uint8Array;
  }
  const gifenc: {
    GIFEncoder: () => Encoder;
    quantize: (rgba: Uint8Array, colors: number) => Palette;
    applyPalette: (rgba: Uint8Array, palette: Palette) => Uint8Array;
  };
  export default gifenc;
}

declare module 'pngjs' {
  export class PNG {
    constructor(size: { width: number; height: number });
    width: number;
    height: number;
    data: Buffer;
    static bitblt(
      from: PNG,
      to: PNG,
      x: number,
      y: number,
      width: number,
      height: number,
      toX: number,
      toY: number,
    ): void;
    static sync: { read: (bytes: Buffer) => PNG };
  }
}
