k3.weight @w : tensor<64x32xbf16> from "model.w" : tensor<64x32xbf16>
func.func @f(%x: tensor<?x32xf32> {k3.name = "x"})
    -> (tensor<?x64xf32> {k3.name = "y"}) {
  %w = k3.get_weight @w : tensor<64x32xbf16>
  %y = k3.linear %x, %w
    : (tensor<?x32xf32>, tensor<64x32xbf16>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
