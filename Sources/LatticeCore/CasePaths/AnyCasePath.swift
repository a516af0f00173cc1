/// A case of an enum as a value. It extracts the payload from an enum value, and embeds a payload in one.
///
/// Once a case path is resolved, using it costs a call of a closure and allocates nothing. It has no isolation and can
/// be used anywhere.
@dynamicMemberLookup
public struct AnyCasePath<Root, Value>: Sendable {
    /// The name of the case in messages: `loaded`, or through several enums `search.query`.
    public let name: String
    @usableFromInline let embedding: @Sendable (consuming Value) -> Root
    @usableFromInline let extraction: @Sendable (consuming Root) -> Value?
    @usableFromInline let modification: @Sendable (inout Root, (inout Value) -> Void) -> Bool
}

extension AnyCasePath {
    /// Creates a case path from closures.
    /// - Parameters:
    ///   - embed: Returns the root in this case with the given payload.
    ///   - extract: Returns the payload if the root is in this case, else nil. It must return the same result for the
    ///     same root. After `embed(payload)`, it must return the payload.
    ///   - name: The name of the case in messages. The default is the name of the property or function around the call.
    // Inlinable, so that the third closure is compiled for the concrete types where the other two are written.
    @inlinable
    public init(
        embed: @escaping @Sendable (consuming Value) -> Root,
        extract: @escaping @Sendable (consuming Root) -> Value?,
        name: String = #function
    ) {
        self.name = name
        embedding = embed
        extraction = extract
        modification = { root, change in
            guard extract(root) != nil else { return false }
            // The root gives up its payload instead of sharing it, so that an array in the payload is changed in place.
            guard var payload = extract(consume root) else { casePathIsUnstable(Root.self) }
            change(&payload)
            root = embed(payload)
            return true
        }
    }

    /// Returns the payload if `root` is in this case, else nil.
    @inlinable
    public func extract(from root: Root) -> Value? {
        extraction(root)
    }

    /// Returns the root in this case with `value` as its payload.
    @inlinable
    public func embed(_ value: Value) -> Root {
        embedding(value)
    }

    /// Changes the payload in place if `root` is in this case, and does nothing otherwise.
    ///
    /// Changes that `change` makes before it throws are kept, as with any `inout` argument.
    ///
    /// - Returns: Whether `root` is in this case.
    @discardableResult
    @inlinable
    public func modify<Failure: Error>(
        _ root: inout Root,
        _ change: (inout Value) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        var failure: Failure?
        let isActive = modification(&root) { payload in
            do throws(Failure) { try change(&payload) } catch { failure = error }
        }
        if let failure { throw failure }
        return isActive
    }
}

extension AnyCasePath where Root: CasePathable {
    /// Resolves a key path. If you use the case path often, store the result.
    @inlinable
    public init(_ path: CaseKeyPath<Root, Value>) {
        self = Root.allCasePaths[keyPath: path]
    }
}

extension AnyCasePath where Value: CasePathable {
    /// Returns the case of the payload as a case path of this root. `\.search.query` combines `\.search` and `\.query`.
    ///
    /// If a case has the name of a member of this type, such as `embed`, use the subscript explicitly:
    /// `\.search[dynamicMember: \.embed]`.
    public subscript<Payload>(dynamicMember path: CaseKeyPath<Value, Payload>) -> AnyCasePath<Root, Payload> {
        let outer = self
        let inner = AnyCasePath<Value, Payload>(path)
        return AnyCasePath<Root, Payload>(
            name: "\(outer.name).\(inner.name)",
            embedding: { outer.embedding(inner.embedding($0)) },
            extraction: { root in outer.extraction(root).flatMap { inner.extraction($0) } },
            modification: { root, change in
                var isActive = false
                _ = outer.modification(&root) { isActive = inner.modification(&$0, change) }
                return isActive
            }
        )
    }
}

/// Traps, because the closures of a case path contradict each other and the value of the enum is lost.
@usableFromInline
func casePathIsUnstable(_ root: any Any.Type) -> Never {
    fatalError(  // The value has been extracted and cannot be restored.
        "The extract closure of a case path of \(root) found its case, but did not find it again in the same value"
    )
}
