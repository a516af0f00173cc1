/// A case of an enum as a value: takes the payload out of an enum and puts one in.
///
/// Resolved once, it costs a call of a closure for each use; it allocates nothing then. It says nothing about isolation
/// and can be used from anywhere.
@dynamicMemberLookup
public struct AnyCasePath<Root, Value>: Sendable {
    /// What messages call the case: `loaded`, or through several enums `search.query`.
    public let name: String
    @usableFromInline let embedding: @Sendable (consuming Value) -> Root
    @usableFromInline let extraction: @Sendable (consuming Root) -> Value?
    @usableFromInline let modification: @Sendable (inout Root, (inout Value) -> Void) -> Bool
}

extension AnyCasePath {
    /// - Parameters:
    ///   - embed: the root in this case with the given payload.
    ///   - extract: the payload if the root is in this case, else nil. Must give the same answer for the same root, and
    ///     after `embed(payload)` must give the payload.
    ///   - name: what messages call the case; by default as the property that is the path, or the function around it.
    // Inlinable, so that where the two closures are written the third is compiled for their types.
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
            // The root gives its payload away instead of sharing it, so that an array in it is changed in place.
            guard var payload = extract(consume root) else { casePathIsUnstable(Root.self) }
            change(&payload)
            root = embed(payload)
            return true
        }
    }

    /// The payload if `root` is in this case, else nil.
    @inlinable
    public func extract(from root: Root) -> Value? {
        extraction(root)
    }

    /// The root in this case with `value` as its payload.
    @inlinable
    public func embed(_ value: Value) -> Root {
        embedding(value)
    }

    /// Changes the payload in place if `root` is in this case; else does nothing.
    ///
    /// What `change` has done before it throws stays done, as with any `inout` argument.
    ///
    /// - Returns: whether `root` is in this case.
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
    /// Resolves a key path, once: keep what you get where it is used often.
    @inlinable
    public init(_ path: CaseKeyPath<Root, Value>) {
        self = Root.allCasePaths[keyPath: path]
    }
}

extension AnyCasePath where Value: CasePathable {
    /// The case of the payload, seen from this root: makes `\.search.query` of `\.search` and `\.query`.
    ///
    /// A case with the name of a member of this type, such as `embed`, is named with the subscript:
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

/// Ends the program: the closures of a case path contradict themselves, and the enum's value is lost.
@usableFromInline
func casePathIsUnstable(_ root: any Any.Type) -> Never {
    fatalError(  // The value is taken out and cannot be put back.
        "The extract closure of a case path of \(root) found its case, and did not find it again in the same value"
    )
}
