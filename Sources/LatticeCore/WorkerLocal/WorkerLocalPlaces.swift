/// Where in a state the parts are that stay in the worker: its properties, those of the structs in it, and of those in
/// optionals. Elements of collections and payloads of enums have no place of their own.
///
/// They are found once for each type, so that a turn pays for nothing but the parts that there are.
package struct WorkerLocalPlaces<State>: Sendable {
    private let places: [WorkerLocalPlace]

    package init() {
        places = WorkerLocalPlace.places(in: State.self)
    }

    /// Gives a state the parts that another one has; those that it has not, as a new worker has them.
    ///
    /// - Parameter other: Nil: a state without any.
    package func replaceParts(of state: inout State, byThoseOf other: State?) {
        guard !places.isEmpty else { return }
        withUnsafeMutablePointer(to: &state) { state in
            guard let other else { return places.replace(in: state, by: nil) }
            withUnsafePointer(to: other) { places.replace(in: state, by: $0) }
        }
    }
}

/// A part of a value of some type, so many bytes behind the beginning of the value.
struct WorkerLocalPlace: Sendable {
    let offset: Int
    /// Replaces what is there by what is there in another value.
    let replace: @Sendable (_ part: UnsafeMutableRawPointer, _ other: UnsafeRawPointer?) -> Void

    static func places(in type: Any.Type) -> [WorkerLocalPlace] {
        if let type = type as? any WorkerLocalHolding.Type { return type.places }
        return StoredProperties(of: type).flatMap { property in
            places(in: property.type).map { WorkerLocalPlace(offset: property.offset + $0.offset, replace: $0.replace) }
        }
    }
}

extension [WorkerLocalPlace] {
    fileprivate func replace(in value: UnsafeMutableRawPointer, by other: UnsafeRawPointer?) {
        for place in self { place.replace(value + place.offset, other.map { $0 + place.offset }) }
    }
}

/// A type that says by itself where its parts are.
private protocol WorkerLocalHolding {
    static var places: [WorkerLocalPlace] { get }
}

extension WorkerLocal: WorkerLocalHolding {
    fileprivate static var places: [WorkerLocalPlace] {
        let place = WorkerLocalPlace(offset: 0) { part, other in
            let other = other?.assumingMemoryBound(to: WorkerLocal.self).pointee
            part.assumingMemoryBound(to: WorkerLocal.self).pointee = other ?? WorkerLocal()
        }
        return [place]
    }
}

extension Optional: WorkerLocalHolding {
    fileprivate static var places: [WorkerLocalPlace] {
        let places = WorkerLocalPlace.places(in: Wrapped.self)
        guard !places.isEmpty else { return [] }
        let place = WorkerLocalPlace(offset: 0) { part, other in
            let part = part.assumingMemoryBound(to: Wrapped?.self)
            guard var value = part.pointee.take() else { return }
            withUnsafeMutablePointer(to: &value) { value in
                guard let other = other?.assumingMemoryBound(to: Wrapped?.self).pointee else {
                    return places.replace(in: value, by: nil)
                }
                withUnsafePointer(to: other) { places.replace(in: value, by: $0) }
            }
            part.pointee = consume value
        }
        return [place]
    }
}
