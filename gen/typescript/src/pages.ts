// Copied from client/typescript/package/src. DO NOT EDIT here.

import type { Answer } from './options.js'

/** A page of a list. */
export interface Page<Item> {
  items: Item[]
  next_cursor: string | null
}

type ItemOf<P> = P extends Page<infer Item> ? Item : never

/**
 * A list. `await` returns its first page. `for await` iterates all items and
 * requests pages when they are needed. The client sends nothing before that.
 */
export class Pages<P extends Page<unknown>> implements Promise<Answer<P>>, AsyncIterable<ItemOf<P>> {
  readonly [Symbol.toStringTag] = 'Pages'
  readonly #read: (cursor?: string) => Promise<Answer<P>>
  #first: Promise<Answer<P>> | undefined

  /** @param read returns the page at a cursor, or the first page without a cursor. */
  constructor(read: (cursor?: string) => Promise<Answer<P>>) {
    this.#read = read
  }

  /** Iterates all pages. */
  async *pages(): AsyncGenerator<Answer<P>, void, undefined> {
    let page = await this.#begin()
    for (;;) {
      yield page
      const { items, next_cursor: next } = page.data
      // The event log has a cursor after its last event, because it has no end.
      if (next === null || items.length === 0) {
        return
      }
      page = await this.#read(next)
    }
  }

  /** Iterates the items of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ItemOf<P>, void, undefined> {
    for await (const page of this.pages()) {
      yield* page.data.items as ItemOf<P>[]
    }
  }

  /** Returns the items of all pages, or at most the given number of items. */
  async toArray(most = Infinity): Promise<ItemOf<P>[]> {
    const items: ItemOf<P>[] = []
    if (most <= 0) {
      return items
    }
    for await (const item of this) {
      items.push(item)
      if (items.length >= most) {
        break
      }
    }
    return items
  }

  then<A = Answer<P>, B = never>(
    fulfilled?: ((page: Answer<P>) => A | PromiseLike<A>) | null,
    rejected?: ((reason: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#begin().then(fulfilled, rejected)
  }

  catch<B = never>(rejected?: ((reason: any) => B | PromiseLike<B>) | null): Promise<Answer<P> | B> {
    return this.#begin().catch(rejected)
  }

  finally(done?: (() => void) | null): Promise<Answer<P>> {
    return this.#begin().finally(done)
  }

  #begin(): Promise<Answer<P>> {
    return (this.#first ??= this.#read())
  }
}
