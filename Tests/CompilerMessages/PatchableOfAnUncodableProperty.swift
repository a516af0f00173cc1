// error: type 'Download' does not conform to protocol 'Decodable'
// error: type 'Download' does not conform to protocol 'Encodable'
// error: instance method 'field(_:from:to:)' requires that 'Connection' conform to 'Patchable'
// error: instance method 'apply(to:)' requires that 'Connection' conform to 'Patchable'
// note: cannot automatically synthesize 'Encodable' because 'Connection' does not conform to 'Encodable'
import Lattice

struct Connection: Equatable {}

@Patchable
struct Download: Equatable {
    var connection = Connection()
}
