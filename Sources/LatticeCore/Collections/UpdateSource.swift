/// What a collection was last brought up to date from, so that the next time only what has changed is gone over.
@usableFromInline
class UpdateSource: @unchecked Sendable {
    // Unchecked: never changed.
    @usableFromInline
    init() {}
}

/// Both roots: of what it was made from, and what else the result depends on.
@usableFromInline
final class UpdateSourceTree<Key: _TreeKey, Value: Sendable, Context: Equatable & Sendable>: UpdateSource,
    @unchecked Sendable
{
    // Unchecked: never changed.
    @usableFromInline let tree: SharedTree<Key, Value>
    @usableFromInline let context: Context

    @inlinable
    init(_ tree: SharedTree<Key, Value>, _ context: Context) {
        self.tree = tree
        self.context = context
    }
}

/// For updates that depend on nothing but the source.
@usableFromInline
struct NoContext: Equatable, Sendable {
    @inlinable
    init() {}
}
