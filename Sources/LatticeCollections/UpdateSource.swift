/// The source from which a collection was last updated, so that the next update visits only changed elements.
@usableFromInline
class UpdateSource: @unchecked Sendable {
    // Unchecked because it is immutable.
    @usableFromInline
    init() {}
}

/// The source tree and the context of an update.
@usableFromInline
final class UpdateSourceTree<Key: _TreeKey, Value: Sendable, Context: Equatable & Sendable>: UpdateSource,
    @unchecked Sendable
{
    // Unchecked because it is immutable.
    @usableFromInline let tree: SharedTree<Key, Value>
    @usableFromInline let context: Context

    @inlinable
    init(_ tree: SharedTree<Key, Value>, _ context: Context) {
        self.tree = tree
        self.context = context
    }
}

/// The context of updates that depend on nothing but the source.
@usableFromInline
struct NoContext: Equatable, Sendable {
    @inlinable
    init() {}
}
