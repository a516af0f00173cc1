/// Where in a parent's state a child's state is. It may be absent: a case that is not active, an optional that is nil.
///
/// It lends the value instead of giving an optional: that would have to be looked up each time, in code that does not
/// know the type.
struct StatePath<Root, Value>: Sendable {
    /// Changes the value in place; false if it is not there.
    let modify: @Sendable (inout Root, (inout Value) -> Void) -> Bool
    /// Looks at the value; false if it is not there.
    let inspect: @Sendable (Root, (Value) -> Void) -> Bool

    /// A property.
    init(_ path: any WritableKeyPath<Root, Value> & Sendable) {
        // A stored property is where the key path would look after asking what it is made of; that takes a good part of
        // the time of a small interactor.
        if let offset = MemoryLayout<Root>.offset(of: path) {
            modify = { root, change in
                withUnsafeMutablePointer(to: &root) { root in
                    change(
                        &UnsafeMutableRawPointer(root).advanced(by: offset).assumingMemoryBound(to: Value.self).pointee
                    )
                }
                return true
            }
            inspect = { root, look in
                withUnsafePointer(to: root) { root in
                    look(UnsafeRawPointer(root).advanced(by: offset).assumingMemoryBound(to: Value.self).pointee)
                }
                return true
            }
        } else {
            modify = { root, change in
                change(&root[keyPath: path])
                return true
            }
            inspect = { root, look in
                look(root[keyPath: path])
                return true
            }
        }
    }

    /// The payload of a case.
    init(_ path: AnyCasePath<Root, Value>) {
        modify = path.modification
        inspect = { root, look in
            guard let value = path.extraction(root) else { return false }
            look(value)
            return true
        }
    }

    /// What an optional property holds.
    init(unwrapping path: any WritableKeyPath<Root, Value?> & Sendable) {
        let property = StatePath<Root, Value?>(path)
        let some = AnyCasePath(\Value?.AllCasePaths.some)
        modify = { root, change in
            var isPresent = false
            _ = property.modify(&root) { isPresent = some.modification(&$0, change) }
            return isPresent
        }
        inspect = { root, look in
            var isPresent = false
            _ = property.inspect(root) { value in
                guard let value else { return }
                isPresent = true
                look(value)
            }
            return isPresent
        }
    }
}
